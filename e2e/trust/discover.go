package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"waxwing/internal/testenv"
)

// reporter is a test that calls testenv.Report.
type reporter struct {
	dir  string // of its package, relative to the module
	test string
	rows []testenv.Requirement
}

// discover finds every test below root that calls testenv.Report, directly or through helpers of
// its package.
func discover(root string) (tests []reporter, err error) {
	names, err := requirements(filepath.Join(root, "internal/testenv/requirements.go"))
	if err != nil {
		return nil, err
	}
	packages := map[string][]*ast.File{}
	files := token.NewFileSet()
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != root && skipped(d.Name()):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("read %s: %w", path, err)
		}
		dir := filepath.Dir(path)
		packages[dir] = append(packages[dir], file)
		return nil
	})
	if err != nil {
		return nil, err
	}
	for dir, files := range packages {
		tests = append(tests, reporters(dir, files, names)...)
	}
	slices.SortFunc(tests, func(a, b reporter) int { return strings.Compare(a.dir+" "+a.test, b.dir+" "+b.test) })
	return tests, nil
}

func skipped(dir string) bool {
	return dir == "node_modules" || dir == "testdata" || strings.HasPrefix(dir, ".")
}

// requirements reads the constants of type Requirement from a file: values by name.
func requirements(path string) (names map[string]testenv.Requirement, err error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	names = map[string]testenv.Requirement{}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			if value, ok := spec.Values[0].(*ast.BasicLit); ok {
				id, _ := strconv.Unquote(value.Value) // it was parsed
				names[spec.Names[0].Name] = testenv.Requirement(id)
			}
		}
		return true
	})
	return names, nil
}

// function is a function of a package's tests.
type function struct {
	rows  []testenv.Requirement // that it reports to
	calls []string              // names of functions and methods, without their types
}

func reporters(dir string, files []*ast.File, names map[string]testenv.Requirement) (tests []reporter) {
	functions := map[string]*function{}
	for _, file := range files {
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Body != nil {
				known := functions[f.Name.Name]
				if known == nil {
					known = &function{}
					functions[f.Name.Name] = known
				}
				known.add(f.Body, names)
			}
		}
	}
	for name := range functions {
		if rows := reach(functions, name, map[string]bool{}); strings.HasPrefix(name, "Test") && len(rows) > 0 {
			slices.Sort(rows)
			tests = append(tests, reporter{dir, name, slices.Compact(rows)})
		}
	}
	return tests
}

// add collects the calls in a function's body.
func (f *function) add(body ast.Node, names map[string]testenv.Requirement) {
	ast.Inspect(body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		switch called := call.Fun.(type) {
		case *ast.Ident:
			f.calls = append(f.calls, called.Name)
		case *ast.SelectorExpr:
			if selects(called, "testenv", "Report") && len(call.Args) == 3 {
				if arg, ok := call.Args[1].(*ast.SelectorExpr); ok {
					if row, known := names[arg.Sel.Name]; known {
						f.rows = append(f.rows, row)
					}
				}
			}
			f.calls = append(f.calls, called.Sel.Name)
		}
		return true
	})
}

func selects(e *ast.SelectorExpr, pkg, name string) bool {
	from, ok := e.X.(*ast.Ident)
	return ok && from.Name == pkg && e.Sel.Name == name
}

// reach collects the rows that a function reports to, directly or through the functions that it
// calls.
func reach(functions map[string]*function, name string, seen map[string]bool) (rows []testenv.Requirement) {
	f := functions[name]
	if f == nil || seen[name] {
		return nil
	}
	seen[name] = true
	rows = slices.Clone(f.rows)
	for _, called := range f.calls {
		if !strings.HasPrefix(called, "Test") {
			rows = append(rows, reach(functions, called, seen)...)
		}
	}
	return rows
}

// suite is the tests of one package that report to rows.
type suite struct {
	dir   string
	tests []string
	rows  map[string][]testenv.Requirement // by test
	race  bool                             // run under the race detector
}

// byPackage groups tests by package. If only is not empty, it drops those that do not report to it.
func byPackage(tests []reporter, only testenv.Requirement) (suites []suite) {
	for _, t := range tests {
		if only != "" && !slices.Contains(t.rows, only) || !slices.ContainsFunc(t.rows, isRow) {
			continue // such as TestSoak, which has its own make target
		}
		if len(suites) == 0 || suites[len(suites)-1].dir != t.dir {
			suites = append(suites, suite{dir: t.dir, rows: map[string][]testenv.Requirement{}})
		}
		last := &suites[len(suites)-1]
		last.tests = append(last.tests, t.test)
		last.rows[t.test] = t.rows
		last.race = last.race || slices.Contains(t.rows, testenv.Model) // it requires the race detector
	}
	return suites
}
