// rayon: join, and scopes, in a pool of as many threads as there are workers.
#[path = "../../order.rs"]
mod order;

use order::{counts, serve, Case};
use rayon::{Scope, ThreadPool, ThreadPoolBuilder};
use std::cell::OnceCell;
use std::sync::OnceLock;

// The answer, found by the first order, which is for warming up.
static RIGHT: OnceLock<u64> = OnceLock::new();

fn fib(n: u32) -> u64 {
    if n < 2 {
        return n.into();
    }
    let (a, b) = rayon::join(|| fib(n - 1), || fib(n - 2));
    a + b
}

// The pool is made by the first order: a program has one case of many.
fn pooled(threads: usize, work: impl Fn(&ThreadPool, u64) + 'static) -> impl FnMut(u64) {
    let pool = OnceCell::new();
    move |n| work(pool.get_or_init(|| ThreadPoolBuilder::new().num_threads(threads).build().unwrap()), n)
}

fn link<'a>(scope: &Scope<'a>, left: u64) {
    if left > 1 {
        scope.spawn(move |s| link(s, left - 1));
    }
}

fn cases(n: u32, workers: usize) -> Vec<Case> {
    let mut all = Vec::new();
    let mut add = |work: String, threads: usize, f: fn(&ThreadPool, u64, u32)| {
        let name = format!("{work}/workers={threads}/pool=rayon/native=rust");
        all.push(Case::new(name, pooled(threads, move |p, ops| f(p, ops, n))));
    };
    for threads in counts(workers) {
        add(format!("Fib/n={n}"), threads, |pool, ops, n| {
            let right = *RIGHT.get_or_init(|| order::fib(n));
            for _ in 0..ops {
                assert_eq!(pool.install(|| fib(n)), right);
            }
        });
    }
    add("Submit/submitters=1".into(), workers, |pool, ops, _| {
        pool.in_place_scope(|s| (0..ops).for_each(|_| s.spawn(|_| {})))
    });
    add("Inside".into(), workers, |pool, ops, _| {
        let mut left = ops;
        while left > 0 {
            let share = left.min(4096); // as many at a time as the Go arms
            pool.scope(|s| (0..share).for_each(|_| s.spawn(|_| {})));
            left -= share;
        }
    });
    add("Chain".into(), workers, |pool, ops, _| pool.scope(|s| s.spawn(move |s| link(s, ops))));
    all
}

fn main() {
    serve(cases)
}
