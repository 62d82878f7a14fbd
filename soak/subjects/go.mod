module github.com/exactlyonce/certify/soak/subjects

go 1.26.0

require (
	github.com/Workiva/go-datastructures v1.1.7
	github.com/alitto/pond v1.9.2
	github.com/exactlyonce/certify v0.0.0
	github.com/gammazero/deque v1.2.2
	github.com/gammazero/workerpool v1.3.0
	github.com/panjf2000/gnet/v2 v2.9.7
	github.com/puzpuzpuz/xsync/v3 v3.5.1
)

require (
	github.com/aclements/go-moremath v0.0.0-20210112150236-f10218a38794 // indirect
	github.com/ebitengine/purego v0.11.2 // indirect
	github.com/go-ole/go-ole v1.2.6 // indirect
	github.com/gofrs/flock v0.13.2 // indirect
	github.com/lufia/plan9stats v0.0.0-20211012122336-39d0f177ccd0 // indirect
	github.com/montanaflynn/stats v0.14.0 // indirect
	github.com/power-devops/perfstat v0.0.0-20260805114148-88456608a4f6 // indirect
	github.com/shirou/gopsutil/v4 v4.26.10 // indirect
	github.com/tklauser/go-sysconf v0.4.0 // indirect
	github.com/tklauser/numcpus v0.12.0 // indirect
	github.com/yusufpapurcu/wmi v1.2.4 // indirect
	go.uber.org/goleak v1.3.0 // indirect
	golang.org/x/perf v0.0.0-20260908200009-22c9c6c9d4da // indirect
	golang.org/x/sys v0.50.0 // indirect
)

replace github.com/exactlyonce/certify => ../..
