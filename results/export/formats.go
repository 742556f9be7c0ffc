package export

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/iosweep/iosweep/results"
	"github.com/parquet-go/parquet-go"
)

// Formats names what Write can write.
func Formats() []string { return []string{"benchfmt", "csv", "json", "parquet"} }

// Write writes the runs in one of the Formats. The error is the writer's, or
// says that there is no such format.
func Write(w io.Writer, set *results.Set, format string) error {
	switch format {
	case "benchfmt":
		return benchfmt(w, set)
	case "csv":
		return writeCSV(w, set)
	case "json":
		return writeJSON(w, set)
	case "parquet":
		return writeParquet(w, set)
	}
	return fmt.Errorf("export as %q: use one of %v", format, Formats())
}

// tunables are those of all runs, in order.
func tunables(set *results.Set) (names []string) {
	for _, data := range set.Runs {
		for _, t := range data.Run.Tunables {
			if !slices.Contains(names, t.Name) {
				names = append(names, t.Name)
			}
		}
	}
	return names
}

func writeCSV(w io.Writer, set *results.Set) error {
	c := csv.NewWriter(w)
	knobs := tunables(set)
	head := []string{"run", "profile", "engine", "device", "device_id", "device_model", "kernel", "workload", "load", "variant",
		"index", "attempt", "block", "status", "counted", "window_s", "metric", "unit", "value", "note"}
	for _, name := range knobs {
		head = append(head, "setting:"+name)
	}
	if err := c.Write(head); err != nil {
		return err
	}
	if err := rows(set, func(r *Row) error { return c.Write(csvRow(r, knobs)) }); err != nil {
		return err
	}
	c.Flush()
	return c.Error()
}

func csvRow(r *Row, knobs []string) []string {
	value := ""
	if r.Value != nil {
		value = float(*r.Value)
	}
	out := []string{r.Run, r.Profile, r.Engine, r.Device, r.DeviceID, r.Model, r.Kernel, r.Workload, r.Load, r.Variant,
		strconv.FormatInt(r.Index, 10), strconv.FormatInt(r.Attempt, 10), strconv.FormatInt(r.Block, 10), r.Status,
		strconv.FormatBool(r.Counted), float(r.WindowSeconds), r.Metric, r.Unit, value, r.Note}
	for _, name := range knobs {
		out = append(out, r.Settings[name])
	}
	return out
}

func float(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// writeJSON writes one array, a row a line.
func writeJSON(w io.Writer, set *results.Set) error {
	separator := "[\n"
	err := rows(set, func(r *Row) error {
		text, err := json.Marshal(r)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(w, "%s%s", separator, text)
		separator = ",\n"
		return err
	})
	if err != nil {
		return err
	}
	if separator == "[\n" {
		_, err = io.WriteString(w, "[]\n")
		return err
	}
	_, err = io.WriteString(w, "\n]\n")
	return err
}

func writeParquet(w io.Writer, set *results.Set) error {
	p := parquet.NewGenericWriter[Row](w, parquet.Compression(&parquet.Zstd))
	batch := make([]Row, 0, 1024)
	flush := func() error {
		_, err := p.Write(batch)
		batch = batch[:0]
		return err
	}
	err := rows(set, func(r *Row) error {
		if batch = append(batch, *r); len(batch) < cap(batch) {
			return nil
		}
		return flush()
	})
	if err != nil {
		return err
	}
	if err := flush(); err != nil {
		return err
	}
	return p.Close()
}
