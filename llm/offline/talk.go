package offline

import "github.com/holic512/plugin-ai/protocol"

func talkIntents() []intent {
	return []intent{
		{
			name: "talk.hello",
			en:   `^ hi|hello|hey|hiya|good_morning|good_afternoon|good_evening|greetings|howdy there? $`,
			zh:   `^ 你好|您好|嗨|哈喽|早上好|下午好|晚上好|早 $`,
			ask: func(t *turn) protocol.Reply {
				return say(t.lang.hello(), t.lang.helpQuestions()...)
			},
		},
		{
			name: "talk.thanks",
			en: `
				^ thanks|thank_you|thx|ty|cheers|great|perfect|nice|cool .. $
				^ bye|goodbye|see_you $`,
			zh: `
				^ 谢谢|多谢|感谢|谢了|辛苦了 .. $
				^ 再见|拜拜 $`,
			need: func(t *turn) bool { return len(t.words) <= 4 && t.file == "" },
			ask: func(t *turn) protocol.Reply {
				return say(t.lang.welcome(), t.lang.changedQuestion(), t.lang.helpQuestion())
			},
		},
		{
			name: "talk.help",
			en: `
				^ help $
				^ help me? with? what $
				what can you do|help
				what are you able
				who|what are you
				^ how do|can i|you use|work this|you|it|ai|here? $
				how does this|ai work
				what|which commands|questions|things .. ask|know|understand|support
				what can|should i ask
				are you .. model|ai|human|chatgpt|gpt|offline|bot|llm
				which|what model .. you|this`,
			zh: `
				^ 帮助|求助|help $
				你 能|会|可以 做|干|帮 .. 什么|啥
				你 是 谁|什么|啥
				你 有 什么|哪些 功能|本领|能力
				怎么 用|使用 你|它|这个? $
				使用 方法|说明 $
				我 能|可以 问 .. 什么|啥
				你 是 .. 模型|人工智能|机器人|人|gpt`,
			ask: func(t *turn) protocol.Reply {
				return say(paragraphs(t.lang.whatIAm(), t.lang.whatICan(), t.lang.howToConfigure()), t.lang.helpQuestions()...)
			},
		},
	}
}

// unknown answers what is not understood.
func unknown(t *turn) protocol.Reply {
	return say(paragraphs(t.lang.cannot(), t.lang.fewExamples(), t.lang.howToConfigure()), t.lang.helpQuestions()...)
}
