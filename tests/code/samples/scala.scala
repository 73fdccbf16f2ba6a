// Things of the shop.
package org.shop

import scala.collection.mutable
import org.base._

/** What is bought. */
class Basket[T](size: Int) extends Base with Seller {
  private val items = mutable.Buffer[T]()
  var total: Int = 0

  /** Puts one in. */
  def add(item: T): Unit = {
    def inner(): Int = 1
    items += item
  }

  protected def sum: Int = 0

  type Out = T
}

object Basket {
  val Limit = 10
  def apply[T](size: Int): Basket[T] = new Basket[T](size)
}

trait Seller {
  def sell(name: String): Boolean
}

case class Point(x: Int, y: Int)

enum Kind {
  case Cheap, Dear
  case Free(why: String)
}

given ord: Ordering[Point] = Ordering.by(_.x)

extension (s: String)
  def shout: String = s.toUpperCase

package object util {
  val zero = 0
}
