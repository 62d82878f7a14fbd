// crossbeam: its deque by the owner, and its queues by one thread, 64 items at a time,
// and by one that pushes and one that pops, as package bench does it.
#[path = "../../order.rs"]
mod order;

use crossbeam_deque::{Injector, Steal, Worker};
use crossbeam_queue::SegQueue;
use order::{serve, Case};
use std::thread;

static ITEM: u8 = 0;

type Item = &'static u8;

fn bursts<Q>(n: u64, q: &Q, push: impl Fn(&Q, Item), pop: impl Fn(&Q) -> bool) {
    let (mut left, mut popped) = (n, 0);
    while left > 0 {
        let share = left.min(64);
        (0..share).for_each(|_| push(q, &ITEM));
        popped += (0..share).filter(|_| pop(q)).count() as u64;
        left -= share;
    }
    assert_eq!(popped, n);
}

// pair hands n items from a thread to another, of which some 1024 wait at most.
fn pair<Q: Sync>(n: u64, q: &Q, push: fn(&Q, Item), pop: fn(&Q) -> bool, len: fn(&Q) -> usize) {
    thread::scope(|s| {
        s.spawn(|| {
            for i in 1..=n {
                push(q, &ITEM);
                while i % 64 == 0 && len(q) >= 1024 {
                    thread::yield_now();
                }
            }
        });
        let mut left = n;
        while left > 0 {
            if pop(q) {
                left -= 1;
            } else {
                thread::yield_now();
            }
        }
    });
}

fn cases(_: u32, _: usize) -> Vec<Case> {
    let (deque, injector, queue) = (Worker::new_lifo(), Injector::new(), SegQueue::new());
    let (injectors, queues) = (Injector::new(), SegQueue::new());
    let name = |work: &str, pool: &str| format!("{work}/pool=crossbeam.{pool}/native=rust");
    vec![
        Case::new(name("Own/burst=64", "deque"), move |n| bursts(n, &deque, |q, x| q.push(x), |q| q.pop().is_some())),
        Case::new(name("Solo/p=1/burst=64", "injector"), move |n| {
            bursts(n, &injector, |q, x| q.push(x), |q| matches!(q.steal(), Steal::Success(_)))
        }),
        Case::new(name("Solo/p=1/burst=64", "segqueue"), move |n| {
            bursts(n, &queue, |q, x| q.push(x), |q| q.pop().is_some())
        }),
        Case::new(name("Pair/p=1/c=1", "injector"), move |n| {
            pair(n, &injectors, |q, x| q.push(x), |q| matches!(q.steal(), Steal::Success(_)), |q| q.len())
        }),
        Case::new(name("Pair/p=1/c=1", "segqueue"), move |n| {
            pair(n, &queues, |q, x| q.push(x), |q| q.pop().is_some(), |q| q.len())
        }),
    ]
}

fn main() {
    serve(cases)
}
