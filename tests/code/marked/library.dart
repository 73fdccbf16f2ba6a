library shop.library;

import 'dart:async';
export 'src/loan.dart' show Loan;

/// What can be lent.
abstract class Lendable { //= class Lendable
  String get title; //= method title
  set copies(int value); //= method copies
  Future<Loan> lend(Reader reader); //= method lend
  static const int most = 3; //= field most
}

mixin Counted on Lendable { //= mixin Counted
  int _count = 0; //= field _count
  int get count => _count; //= method count
  void seen() => _count++; //= method seen
}

enum Color { red, green } //= enum Color, constant red, constant green

enum Way { //= enum Way
  inside('in'), //= constant inside
  outside('out'); //= constant outside

  const Way(this.code); //= constructor Way
  final String code; //= field code
  bool get isIn => this == inside; //= method isIn
}

class Loan extends Lendable with Counted implements Comparable<Loan> { //= class Loan
  final String book; //= field book
  int days = 14, extended = 0; //= field days, field extended
  late final Reader reader; //= field reader
  static final Map<String, Loan> _known = {}; //= field _known

  Loan(this.book); //= constructor Loan
  Loan.long(this.book) : days = 60 { //= constructor Loan.long
    extend(1);
  }
  factory Loan.of(String book) => _known[book] ?? Loan(book); //= constructor Loan.of

  @override
  String get title => book; //= method title
  @override
  set copies(int value) { //= method copies
    days = value;
  }

  bool extend(int more, {int most = 60}) { //= method extend
    int capped(int n) => n > most ? most : n; //= function capped
    final before = days;
    days = capped(days + more);
    return days > before;
  }

  @override
  Future<Loan> lend(Reader reader) async { //= method lend
    return this;
  }

  int operator +(Loan other) => days + other.days; //= method +
  @override
  int compareTo(Loan other) => days - other.days; //= method compareTo
  static Loan none() => Loan(''); //= method none
  external void print(); //= method print
}

class Reader<T extends Lendable> { //= class Reader
  const Reader(this.name, {this.friend}); //= constructor Reader
  final String name; //= field name
  final Reader? friend; //= field friend
  T? find(bool Function(T) test) => null; //= method find
  Stream<int> numbers() async* { //= method numbers
    yield 1;
  }
}

extension Late on Loan { //= extension Late
  bool get isLate => days < 0; //= method isLate
  void giveBack() {} //= method giveBack
}

typedef Done = void Function(Loan loan); //= type Done
typedef int Count(String text); //= type Count

const opens = 9; //= variable opens
final List<Loan> all = []; //= variable all
var closed = 18; //= variable closed
String? lastError; //= variable lastError

int get total => all.length; //= function total
set total(int n) {} //= function total

Future<void> main(List<String> args) async { //= function main
  final loan = Loan('a');
  await loan.lend(Reader('b'));
}

T first<T>(List<T> items) => items.first; //= function first
void _secret() {} //= function _secret
