// Things of the shop.
import 'dart:async';
import 'package:base/base.dart' as base;

const limit = 10;
final String _name = 'shop';

/// What is bought.
@immutable
abstract class Basket<T> extends Base implements Seller {
  final List<T> items;
  int _total = 0;

  Basket(this.items);
  Basket.empty() : items = [];
  factory Basket.of(T one) => throw '';

  /// Puts one in.
  @override
  void add(T item) {
    void inner() {}
  }

  int get total => _total;
  set total(int v) => _total = v;
  static int count() => 0;
  bool _secret();
  Basket operator +(Basket other) => this;
}

mixin Counted on Base {
  int count() => 0;
}

enum Kind { cheap, dear }

extension Shout on String {
  String shout() => toUpperCase();
}

typedef Compare = int Function(int a, int b);

int helper(int a, {int b = 1}) {
  return a;
}

Future<void> main() async {}
