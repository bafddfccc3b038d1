"""Methods for any Pyomo program: column generation, cutting planes, DCA, alternation."""
