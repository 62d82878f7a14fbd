// tokio: spawn on the runtime of many threads. The end of a batch is a counter that
// the tasks share, and one message.
#[path = "../../order.rs"]
mod order;

use order::{serve, Case};
use std::cell::OnceCell;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{mpsc, Arc};
use tokio::runtime::{Builder, Handle, Runtime};

// Batch is tasks that have not ended, and who waits for them.
struct Batch {
    left: AtomicU64,
    over: mpsc::SyncSender<()>,
}

impl Batch {
    fn of(n: u64) -> (Arc<Batch>, mpsc::Receiver<()>) {
        let (over, wait) = mpsc::sync_channel(1);
        (Arc::new(Batch { left: AtomicU64::new(n), over }), wait)
    }

    fn end(&self) {
        if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.over.send(()).unwrap();
        }
    }
}

// given gives n empty tasks, from wherever it is called.
fn given(runtime: &Handle, batch: &Arc<Batch>, n: u64) {
    for _ in 0..n {
        let batch = batch.clone();
        runtime.spawn(async move { batch.end() });
    }
}

fn submit(runtime: &Runtime, ops: u64) {
    let (batch, wait) = Batch::of(ops);
    given(runtime.handle(), &batch, ops);
    wait.recv().unwrap();
}

fn inside(runtime: &Runtime, ops: u64) {
    let mut left = ops;
    while left > 0 {
        let share = left.min(4096); // as many at a time as the Go arms
        let (batch, wait) = Batch::of(share);
        runtime.spawn(async move { given(&Handle::current(), &batch, share) });
        wait.recv().unwrap();
        left -= share;
    }
}

// link is boxed, since its type would contain itself.
fn link(batch: Arc<Batch>, left: u64) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    Box::pin(async move {
        if left > 1 {
            tokio::spawn(link(batch.clone(), left - 1));
        }
        batch.end();
    })
}

fn chain(runtime: &Runtime, ops: u64) {
    let (batch, wait) = Batch::of(ops);
    runtime.spawn(link(batch, ops));
    wait.recv().unwrap();
}

fn cases(_: u32, workers: usize) -> Vec<Case> {
    let works: [(&str, fn(&Runtime, u64)); 3] = [("Submit/submitters=1", submit), ("Inside", inside), ("Chain", chain)];
    works
        .into_iter()
        .map(|(work, f)| {
            let runtime = OnceCell::new();
            Case::new(format!("{work}/workers={workers}/pool=tokio/native=rust"), move |n| {
                f(runtime.get_or_init(|| Builder::new_multi_thread().worker_threads(workers).build().unwrap()), n)
            })
        })
        .collect()
}

fn main() {
    serve(cases)
}
