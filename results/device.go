package results

import "cmp"

// Title is what people call the device: its model, or else its name.
func (d Device) Title() string { return cmp.Or(d.Model, d.Name) }
