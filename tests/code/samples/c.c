/* Things of the shop. */
#include <stdio.h>
#include "shop.h"

#define LIMIT 10
#define MAX(a, b) ((a) > (b) ? (a) : (b))

typedef struct basket {
    int total;
    char *name;
} basket_t;

struct point { int x, y; };

union raw { int a; float b; };

enum kind { CHEAP, DEAR = 5 };

typedef int (*compare)(const void *, const void *);

static int counter = 0;
const char *names[] = {"a", "b"};

extern int declared(int a);

/* Adds two. */
int add(int a, int b)
{
    return a + b;
}

static char *
name_of(struct point *p)
{
    return 0;
}
