"""The documents of docs/benchmarks: one package for each subject, and `common` for what they share. In each package
`document` writes the document, `runs` names what is measured for it, and `results` reads what came out."""
