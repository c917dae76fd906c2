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
)

// reporter is a test that reports to rows.
type reporter struct {
	dir  string // of its package, below the module
	test string
	rows []string
}

// discover finds every test below root that calls testenv.Report, itself or through helpers of its package.
func discover(root string) (proofs []reporter, err error) {
	packages := map[string][]*ast.File{}
	files := token.NewFileSet()
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && path != root):
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
		proofs = append(proofs, reporters(dir, files)...)
	}
	slices.SortFunc(proofs, func(a, b reporter) int { return strings.Compare(a.dir+" "+a.test, b.dir+" "+b.test) })
	return proofs, nil
}

// function is what one function of a package's tests does that matters here.
type function struct {
	rows  []string // it reports to
	calls []string // functions and methods of any name, which is near enough
}

func reporters(dir string, files []*ast.File) (proofs []reporter) {
	functions := map[string]*function{}
	for _, file := range files {
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Body != nil {
				seen := functions[f.Name.Name]
				if seen == nil {
					seen = &function{}
					functions[f.Name.Name] = seen
				}
				seen.look(f.Body)
			}
		}
	}
	for name := range functions {
		if rows := reach(functions, name, map[string]bool{}); strings.HasPrefix(name, "Test") && len(rows) > 0 {
			slices.Sort(rows)
			proofs = append(proofs, reporter{dir, name, slices.Compact(rows)})
		}
	}
	return proofs
}

func (f *function) look(body ast.Node) {
	ast.Inspect(body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		switch called := call.Fun.(type) {
		case *ast.Ident:
			f.calls = append(f.calls, called.Name)
		case *ast.SelectorExpr:
			from, isPackage := called.X.(*ast.Ident)
			if isPackage && from.Name == "testenv" && called.Sel.Name == "Report" && len(call.Args) == 3 {
				if text, ok := call.Args[1].(*ast.BasicLit); ok {
					if row, err := strconv.Unquote(text.Value); err == nil {
						f.rows = append(f.rows, row)
					}
				}
			}
			f.calls = append(f.calls, called.Sel.Name)
		}
		return true
	})
}

// reach collects the rows that a function reports to, whoever does it for it.
func reach(functions map[string]*function, name string, seen map[string]bool) (rows []string) {
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

// suite is the proofs of one package.
type suite struct {
	dir   string
	tests []string
	rows  map[string][]string // by test
	raced bool                // under the race detector
}

// byPackage groups proofs; only, if not empty, keeps those of that row.
func byPackage(proofs []reporter, only string) (suites []suite) {
	for _, p := range proofs {
		if only != "" && !slices.Contains(p.rows, only) || !slices.ContainsFunc(p.rows, isRow) {
			continue // such as make soak, which has a target and a time of its own
		}
		if len(suites) == 0 || suites[len(suites)-1].dir != p.dir {
			suites = append(suites, suite{dir: p.dir, rows: map[string][]string{}})
		}
		last := &suites[len(suites)-1]
		last.tests = append(last.tests, p.test)
		last.rows[p.test] = p.rows
		last.raced = last.raced || slices.Contains(p.rows, racedRow)
	}
	return suites
}
