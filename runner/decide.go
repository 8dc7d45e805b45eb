package runner

import (
	"context"
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/policy"
	"github.com/holic512/plugin-ai/protocol"
)

// maxDecisions is how many steps of one prompt may ask the person to decide.
const maxDecisions = 3

// decideTool carries out decide.ask steps: the person decides, and the
// decisions are the observation. Asking changes nothing, so nobody is asked
// whether it may.
type decideTool struct{}

func (decideTool) judge(t *turn, s *stepRun) {
	s.judgement = policy.Judgement{Level: protocol.Safe, Rules: []string{"decide.ask"}, Reasons: []string{"the person is asked"}, Listed: true}
	if t.decided >= maxDecisions {
		s.cannot = &cannot{protocol.Refused, "the person was asked often enough for one question; go on with what is known"}
	}
}

func (decideTool) question(*turn, *stepRun, *Confirmation)    {}
func (decideTool) edit(context.Context, *turn, *stepRun) bool { return false }

func (decideTool) run(ctx context.Context, t *turn, s *stepRun) bool {
	t.decided++
	decisions, err := t.Decide(ctx, s.step.Task, s.step.Items)
	switch {
	case ctx.Err() != nil:
		s.decidedBy = protocol.DecidedByNobody
		s.observe(protocol.Cancelled, "the turn was ended at the questions")
	case errors.Is(err, ErrNobody):
		s.decidedBy = protocol.DecidedByNobody
		t.result.NeedPerson++
		t.refuse(s, "a person has to decide, and there is nobody to ask")
	case errors.Is(err, ErrUndecided):
		s.decidedBy = protocol.DecidedByUser
		t.result.Declined++
		s.observe(protocol.Declined, err.Error())
	case err != nil:
		s.observe(protocol.NotStarted, err.Error())
	default:
		s.decidedBy = protocol.DecidedByUser
		s.observe(protocol.Ran, "")
		s.observation.Parsed = &protocol.Parsed{Kind: protocol.ParsedJSON, Total: 1, Items: []jsontext.Value{decisions}}
		s.observation = t.Window.Mask(s.observation)
	}
	return true
}

func (decideTool) failed(protocol.Observation) bool { return false }
