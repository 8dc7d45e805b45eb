package runner

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/holic512/plugin-ai/executors/jsonfile"
	"github.com/holic512/plugin-ai/internal/diff"
	"github.com/holic512/plugin-ai/internal/mask"
	"github.com/holic512/plugin-ai/policy"
	"github.com/holic512/plugin-ai/protocol"
)

// maxChanged is how often a person is shown a new diff because the file was
// changed by somebody else meanwhile.
const maxChanged = 5

// toldBytes is how much an observation tells of a change: of the diff, and of
// the operations.
const toldBytes = 3 << 10

// patchTool carries out config.json_patch steps: a change of a settings file
// that is planned, shown, and made only as it was shown.
type patchTool struct {
	plan    *jsonfile.Change
	changed int // how often the file was changed meanwhile
}

func (p *patchTool) judge(t *turn, s *stepRun) {
	if p.plan == nil && t.planned != nil {
		p.plan = t.planned.plan
	}
	if p.plan == nil {
		plan, err := t.Files.Plan(s.step.Path, s.dir, jsonfile.Edit{Patch: s.step.Patch, Set: s.step.Set, Unset: s.step.Unset})
		if err != nil {
			p.cannot(s, err)
			return
		}
		p.plan = plan
	}
	if t.planned != nil {
		s.judgement = t.planned.judge()
	} else {
		s.judgement = t.Judge.JudgePatch(policy.PatchStep{Path: p.plan.Path, Requires: s.step.Requires, Members: p.plan.Members})
	}
	if p.plan.Same() {
		s.judgement.Level, s.judgement.Rules, s.judgement.Reasons = protocol.Safe, []string{"nothing changes"}, []string{"the file says so already"}
	}
	// Secrets are found by their place in both texts, and then as in any text.
	hidden, show := mask.Settings(string(p.plan.Old), string(p.plan.New))
	s.change = &FileChange{
		Path: p.plan.Path, Created: !p.plan.Existed, Removed: p.plan.New == nil, Again: p.changed > 0,
		Diff: diff.Compare(hidden[0], hidden[1]).Mask(func(line string) string { return t.Window.MaskText(show(line)) }),
	}
}

// cannot tells why there is no plan: the place is refused, or the change
// cannot be made.
func (p *patchTool) cannot(s *stepRun, err error) {
	s.judgement = policy.Judgement{Level: protocol.Confirm, Rules: []string{string(protocol.ToolJSONPatch)}, Facts: []protocol.Fact{protocol.FactWrite}, Listed: true}
	s.cannot = &cannot{protocol.NotStarted, err.Error()}
	if failure := (*jsonfile.Error)(nil); errors.As(err, &failure) && failure.Kind == jsonfile.KindPlace {
		s.judgement.Level = protocol.Block
		s.judgement.Rules, s.judgement.Reasons = []string{"not editable"}, []string{err.Error()}
		s.cannot.outcome = protocol.Refused
	}
}

func (p *patchTool) question(t *turn, s *stepRun, q *Confirmation) {
	q.Change = s.change
	q.Person = t.YesIsEnough == nil || !t.YesIsEnough(p.plan.Path)
}

// edit opens the file as it would be in the person's editor. A text that
// cannot be is given back with the reason.
func (p *patchTool) edit(ctx context.Context, t *turn, s *stepRun) bool {
	text := p.plan.New
	for {
		changed, err := t.Asker.EditFile(ctx, filepath.Base(p.plan.Path), text)
		if err != nil {
			t.Asker.Notify(Notice{Kind: NoticeError, Text: err.Error()})
			return ctx.Err() == nil // the question stands
		}
		if bytes.Equal(changed, p.plan.New) {
			return true
		}
		plan, err := t.Files.Replan(p.plan, changed)
		if err == nil {
			p.plan = plan
			return true
		}
		var failure *jsonfile.Error
		if errors.As(err, &failure) {
			failure.Advice = "" // it is meant for a model
		}
		t.Asker.Notify(Notice{Kind: NoticeError, Text: err.Error()})
		if bytes.Equal(changed, text) {
			return true // left as it was: back to what was planned before
		}
		text = changed
	}
}

func (p *patchTool) run(ctx context.Context, t *turn, s *stepRun) bool {
	if p.plan.Same() {
		s.observe(protocol.Ran, "nothing was changed: the file says so already")
		p.tell(t, s, "")
		return true
	}
	backup, err := t.Files.Commit(ctx, p.plan)
	var failure *jsonfile.Error
	switch {
	case errors.As(err, &failure) && failure.Kind == jsonfile.KindChanged && p.changed < maxChanged:
		p.changed++
		plan, err := t.Files.Refresh(p.plan)
		if err != nil {
			s.observe(protocol.NotStarted, err.Error())
			return true
		}
		p.plan = plan
		t.judge(s)
		return false
	case ctx.Err() != nil && err != nil:
		s.observe(protocol.Cancelled, "the turn was ended before anything was written")
	case err != nil:
		s.observe(protocol.NotStarted, err.Error())
	default:
		t.result.Ran++
		s.observe(protocol.Ran, "written; `ai undo` takes it back")
		p.tell(t, s, backup)
	}
	return true
}

// tell says in the observation what was done to the file.
func (p *patchTool) tell(t *turn, s *stepRun, backup string) {
	told := protocol.ConfigDiff{Path: p.plan.Path, Created: !p.plan.Existed, Operations: []protocol.Operation{}, Diff: s.change.Unified(), Backup: backup}
	room := toldBytes
	for _, o := range p.plan.Operations {
		if room -= len(o.Path) + len(o.From); room < 0 {
			break
		}
		told.Operations = append(told.Operations, protocol.Operation{Op: o.Op, Path: o.Path, From: o.From}) // values are in the diff, masked
	}
	if len(told.Diff) > toldBytes {
		told.Diff = strings.ToValidUTF8(told.Diff[:toldBytes], "") + "\n…"
	}
	told.Omitted = len(p.plan.Operations) - len(told.Operations)
	s.observation.Truncated = told.Omitted > 0 || strings.HasSuffix(told.Diff, "…")
	item, err := json.Marshal(told)
	if err != nil {
		item = jsontext.Value(`{}`) // a path that is no UTF-8
	}
	s.observation.Parsed = &protocol.Parsed{Kind: protocol.ParsedConfigDiff, Total: 1, Items: []jsontext.Value{item}}
	s.observation = t.Window.Mask(s.observation)
}

func (p *patchTool) failed(protocol.Observation) bool { return false }
