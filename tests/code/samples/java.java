package org.shop;

import java.util.List;
import static java.util.Map.entry;

/**
 * What is bought.
 */
@Deprecated
public class Basket<T> extends Base implements Seller {
    public static final int LIMIT = 10;
    private List<T> items, others;

    public Basket(int size) {
        this.size = size;
    }

    /** Puts one in. */
    @Override
    public void add(T item) throws Full {
        Runnable r = new Runnable() { public void run() {} };
    }

    void quiet() {}

    interface Visitor {
        void visit(Basket<?> b);
    }

    enum Kind { CHEAP, DEAR; int cost() { return 1; } }

    static class Inner { int x; }
}

record Point(int x, int y) {
    Point { }
    double length() { return 0; }
}

@interface Marked { String value(); }
