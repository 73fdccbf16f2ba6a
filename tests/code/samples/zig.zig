//! Things of the shop.
const std = @import("std");
const base = @import("base.zig");

pub const limit: usize = 10;
var counter: u32 = 0;

/// What is bought.
pub const Basket = struct {
    items: []u8,
    total: u32 = 0,

    /// Puts one in.
    pub fn add(self: *Basket, item: u8) void {
        _ = item;
    }

    fn secret() void {}

    const Inner = enum { cheap, dear };
};

const Kind = enum(u8) { cheap, dear };

const Raw = union { a: u8, b: u16 };

const Failure = error{ Full, Empty };

pub fn new() Basket {
    return .{ .items = &.{} };
}

fn helper(a: u32, b: u32) u32 {
    return a + b;
}

export fn exported() void {}

test "adds one" {
    try std.testing.expect(true);
}
