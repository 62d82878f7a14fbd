// crossbeam: its deque by the owner, and its queues by one thread, 64 items at a time.
#[path = "../../order.rs"]
mod order;

use crossbeam_deque::{Injector, Steal, Worker};
use crossbeam_queue::SegQueue;
use order::{serve, Case};

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

fn cases(_: u32, _: usize) -> Vec<Case> {
    let (deque, injector, queue) = (Worker::new_lifo(), Injector::new(), SegQueue::new());
    let name = |work: &str, pool: &str| format!("{work}/burst=64/pool=crossbeam.{pool}/native=rust");
    vec![
        Case::new(name("Own", "deque"), move |n| bursts(n, &deque, |q, x| q.push(x), |q| q.pop().is_some())),
        Case::new(name("Solo/p=1", "injector"), move |n| {
            bursts(n, &injector, |q, x| q.push(x), |q| matches!(q.steal(), Steal::Success(_)))
        }),
        Case::new(name("Solo/p=1", "segqueue"), move |n| {
            bursts(n, &queue, |q, x| q.push(x), |q| q.pop().is_some())
        }),
    ]
}

fn main() {
    serve(cases)
}
