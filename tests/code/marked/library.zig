const std = @import("std"); //= variable std
const Allocator = std.mem.Allocator; //= variable Allocator

/// How long a loan may be.
pub const longest: u16 = 60; //= variable longest
var open_hours = [_]u8{ 9, 18 }; //= variable open_hours
threadlocal var last_error: ?LoanError = null; //= variable last_error

pub const LoanError = error{ NoCopies, Unknown }; //= error LoanError

pub const Color = enum(u8) { //= enum Color
    red = 1, //= field red
    green, //= field green
    blue, //= field blue

    pub fn next(self: Color) Color { //= function next
        return switch (self) {
            .red => .green,
            else => .red,
        };
    }
};

const Key = union(enum) { //= union Key
    number: u32, //= field number
    name: []const u8, //= field name
    none, //= field none
};

pub const Loan = struct { //= struct Loan
    book: []const u8, //= field book
    days: u16 = 14, //= field days
    reader: ?*Reader = null, //= field reader

    const Self = @This(); //= variable Self
    pub const none = Loan{ .book = "" }; //= variable none

    pub fn init(book: []const u8) Loan { //= function init
        const made = Loan{ .book = book };
        return made;
    }

    pub fn extend(self: *Self, more: u16) LoanError!void { //= function extend
        if (self.days + more > longest) return LoanError.NoCopies;
        self.days += more;
    }

    fn isLate(self: Self) bool { //= function isLate
        return self.days == 0;
    }

    const Part = packed struct { //= struct Part
        low: u4, //= field low
        high: u4, //= field high
    };
};

const Reader = struct { //= struct Reader
    allocator: Allocator, //= field allocator
    loans: std.ArrayList(Loan), //= field loans

    fn deinit(self: *Reader) void { //= function deinit
        self.loans.deinit();
    }
};

fn Shelf(comptime T: type) type { //= function Shelf
    return struct {
        items: []T, //= field items
        fn count(self: @This()) usize { //= function count
            return self.items.len;
        }
    };
}

pub inline fn half(days: u16) u16 { //= function half
    return days / 2;
}

extern "c" fn puts(text: [*:0]const u8) c_int; //= function puts
export fn library_open() void {} //= function library_open

comptime {
    _ = Loan;
}

pub fn main() !void { //= function main
    var loan = Loan.init("a");
    const more: u16 = 7;
    try loan.extend(more);
    for (open_hours) |hour| {
        std.debug.print("{d}", .{hour});
    }
}

test "a loan can be extended" { //= test a loan can be extended
    var loan = Loan.init("a");
    try loan.extend(1);
}

test half { //= test half
    try std.testing.expect(half(4) == 2);
}

test {
    _ = Color;
}
