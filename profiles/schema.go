package profiles

import "encoding/json"

// Schema returns the JSON Schema (draft-07) of profiles, for editors. It is
// printed from the tables that Parse reads by.
func Schema() []byte {
	s := schema{
		"$schema": "http://json-schema.org/draft-07/schema#",
		"title":   "iosweep profile, schema version 1",
	}
	for k, v := range profileKind().schema {
		s[k] = v
	}
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		// The tables hold strings, numbers, lists and maps only.
		panic(err)
	}
	return append(text, '\n')
}
