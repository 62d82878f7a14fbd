// What all native programs are: see cpp/order.h, whose twin this is.
use std::io::{BufRead, Write};
use std::time::Instant;

pub struct Case {
    pub name: String,
    pub run: Box<dyn FnMut(u64)>,
}

impl Case {
    pub fn new(name: String, run: impl FnMut(u64) + 'static) -> Case {
        Case { name, run: Box::new(run) }
    }
}

#[repr(C)]
struct Timespec {
    seconds: i64,
    nanoseconds: i64,
}

extern "C" {
    fn clock_gettime(clock: i32, time: *mut Timespec) -> i32;
}

// The processor time of the process: CLOCK_PROCESS_CPUTIME_ID of Linux on 64 bits.
fn processor_ns() -> i64 {
    let mut t = Timespec { seconds: 0, nanoseconds: 0 };
    let failed = unsafe { clock_gettime(2, &mut t) };
    assert_eq!(failed, 0, "clock_gettime");
    t.seconds * 1_000_000_000 + t.nanoseconds
}

pub fn serve(cases: impl Fn(u32, usize) -> Vec<Case>) {
    let arguments: Vec<String> = std::env::args().collect();
    assert_eq!(arguments.len(), 4, "usage: program list|NAME FIB WORKERS");
    let all = cases(arguments[2].parse().unwrap(), arguments[3].parse().unwrap());
    if arguments[1] == "list" {
        for case in all {
            println!("{}", case.name);
        }
        return;
    }
    let asked = all.into_iter().find(|c| c.name == arguments[1]);
    let mut case = asked.expect("no such case");
    let mut out = std::io::stdout();
    for line in std::io::stdin().lock().lines() {
        let n = line.unwrap().trim().parse().unwrap();
        let cpu = processor_ns();
        let began = Instant::now();
        (case.run)(n);
        let took = began.elapsed().as_nanos();
        writeln!(out, "{} {}", took, processor_ns() - cpu).unwrap();
        out.flush().unwrap();
    }
}

// The number of workers that fork-join works are done with.
#[allow(dead_code)]
pub fn counts(workers: usize) -> Vec<usize> {
    if workers == 1 { vec![1] } else { vec![1, workers] }
}

#[allow(dead_code)]
pub fn fib(n: u32) -> u64 {
    if n < 2 { n.into() } else { fib(n - 1) + fib(n - 2) }
}
