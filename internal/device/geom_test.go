package device

import "testing"

// A partition's label hides no device, whatever it holds.
func TestParseMeshOddLabels(t *testing.T) {
	for name, label := range map[string]string{"latin 1": "caf\xe9", "no character": "\ufffe\uffff", "control": "a\x01b"} {
		m, err := parseMesh([]byte("<mesh><class><name>PART</name><geom><name>ada0</name><provider id=\"0x1\"><mode>r0w0e0</mode><name>ada0p1</name>" +
			"<mediasize>512</mediasize><config><label>" + label + "</label><index>1</index></config></provider></geom></class></mesh>\x00"))
		if err != nil || len(m.providers) != 1 || m.providers[0].name != "ada0p1" || m.providers[0].config["index"] != "1" {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
	}
}
