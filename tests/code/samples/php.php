<?php
// Things of the shop.
namespace Shop\Things;

use Shop\Base;
use Shop\{One, Two};

const LIMIT = 10;
define('OTHER', 2);

/**
 * What is bought.
 */
abstract class Basket extends Base implements Seller
{
    use Counted;

    public const MAX = 5;
    private array $items = [];
    protected static ?int $count = null;

    public function __construct(private int $size) {}

    /** Puts one in. */
    #[Pure]
    public function add(string $item): void
    {
        $f = function () { return 1; };
    }

    abstract protected function sum(): int;

    private static function secret() {}
}

interface Seller { public function sell(string $name): bool; }

trait Counted { public function count(): int { return 0; } }

enum Kind: string { case Cheap = 'c'; case Dear = 'd'; public function label(): string { return ''; } }

function helper(int $a, $b = 1) { return $a; }
