//! Things of the shop.
use std::fmt;
use crate::price::{Price, Tax};

pub const LIMIT: usize = 10;
static mut COUNT: u32 = 0;

/// What is bought.
#[derive(Debug)]
pub struct Basket<T> {
    pub items: Vec<T>,
    total: u32,
}

pub enum Kind {
    Cheap,
    Dear(u32),
}

union Raw { a: u8, b: u16 }

pub trait Seller {
    type Out;
    fn sell(&self) -> Self::Out;
    fn twice(&self) {}
}

impl<T> Basket<T> {
    /// Puts one in.
    pub fn add(&mut self, item: T) {
        fn inner() {}
        self.items.push(item)
    }
    fn sum(&self) -> u32 { self.total }
}

impl<T> fmt::Display for Basket<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { Ok(()) }
}

type Money = u64;

macro_rules! shout {
    ($x:expr) => { println!("{}", $x) };
}

mod tests {
    #[test]
    fn it_adds() {}
}

pub(crate) async fn run() {}
