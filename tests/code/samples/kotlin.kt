// Things of the shop.
package org.shop

import java.util.UUID
import org.base.*

const val LIMIT = 10
private val registry = mutableMapOf<String, Int>()

/**
 * What is bought.
 */
@Serializable
open class Basket<T>(val size: Int) : Base(), Seller {
    private val items = mutableListOf<T>()

    constructor() : this(1)

    /** Puts one in. */
    override fun add(item: T) {
        fun inner() {}
    }

    internal fun sum(): Int = 0

    companion object {
        const val MAX = 5
        fun build() = Basket<Int>(1)
    }

    inner class Part
}

interface Seller {
    fun sell(name: String): Boolean
}

data class Point(val x: Int, val y: Int)

enum class Kind {
    CHEAP,
    DEAR;

    fun label() = name
}

object Registry {
    fun find() = 1
}

typealias Money = Long

fun helper(a: Int): Int {
    return a
}

fun String.shout() = uppercase()
