module github.com/exactlyonce/certify

go 1.26.0
