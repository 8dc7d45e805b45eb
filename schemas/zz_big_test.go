package schemas_test
import ("testing";"strings";"time";"github.com/go-json-experiment/json";"github.com/holic512/plugin-ai/schemas")
func TestZZBig(t *testing.T){
 s,_:=schemas.Load("reply")
 for n,text:=range map[string]string{
 "args":`{"type":"cmd","message":"m","data":{"commands":[{"program":"touch","args":["x"`+strings.Repeat(`,"a"`,1000000)+`]}]}}`,
 "cmds":`{"type":"cmd","message":"m","data":{"commands":[{"program":"touch","args":["x"]}`+strings.Repeat(`,{"program":"touch","args":["x"]}`,400000)+`]}}`,
 "badcmds":`{"type":"cmd","message":"m","data":{"commands":[`+strings.Repeat(`{},`,1000000)+`{}]}}`,
 "keys":`{"type":"chat","message":"m","data":{"suggestions":[`+strings.Repeat(`1,`,1000000)+`1]}}`,
 }{
  t0:=time.Now(); var v any
  if err:=json.Unmarshal([]byte(text),&v);err!=nil{t.Fatal(err)}
  t1:=time.Now(); f:=s.Check(v); t.Log(n,t1.Sub(t0),time.Since(t1),len(f))
 }
}
