package library

import scala.collection.mutable
import scala.util.{Try, Success}

/** What can be lent. */
trait Lendable { //= trait Lendable
  type Key //= type Key
  def title: String //= method title
  def copies: Int = 1 //= method copies
  val shelf: String //= field shelf
  protected def lend(reader: Reader): Try[Loan] //= method lend
}

sealed abstract class Problem(val text: String) extends Exception(text) { //= class Problem, field text
  def isGrave: Boolean = false //= method isGrave
}

case object NoCopies extends Problem("none left") //= object NoCopies
case class Unknown(what: String) extends Problem(s"unknown $what") { //= class Unknown
  override def isGrave = true //= method isGrave
}

final case class Loan(book: String, var days: Int = 14) { //= class Loan, field days
  private val longest = 60 //= field longest
  var returned: Boolean = false //= field returned
  def extend(more: Int): Loan = { //= method extend
    val most = longest
    def capped(n: Int) = math.min(n, most) //= function capped
    copy(days = capped(days + more))
  }
  def this(book: String) = this(book, 7) //= method this
  def +(other: Loan): Int = days + other.days //= method +
}

object Loan { //= object Loan
  implicit val order: Ordering[Loan] = Ordering.by(_.days) //= field order
  lazy val none = Loan("") //= field none
  def apply(book: String, reader: Reader): Loan = new Loan(book) //= method apply
  implicit class Rich(private val loan: Loan) extends AnyVal { //= class Rich, field loan
    def isLate: Boolean = loan.days < 0 //= method isLate
  }
}

class Reader(val name: String)(implicit order: Ordering[Loan]) //= class Reader, field name
    extends Lendable
    with Serializable {
  type Key = Int //= type Key
  val shelf = "readers" //= field shelf
  private[library] val loans = mutable.Buffer.empty[Loan] //= field loans
  def title: String = name //= method title
  def lend(reader: Reader): Try[Loan] = Success(Loan("")) //= method lend

  @deprecated("use find", "2.0")
  def search[T <: Lendable](all: Seq[T])(test: T => Boolean): Option[T] = //= method search
    all.find(test)

  object Card { //= object Card
    val number = 1 //= field number
  }
  trait Seen //= trait Seen
}

enum Color(val code: Int) { //= enum Color, field code
  case Red extends Color(1) //= constant Red
  case Green extends Color(2) //= constant Green
  def next: Color = Red //= method next
}

enum Way: //= enum Way
  case In, Out //= constant In, constant Out

given Conversion[Loan, Int] with {
  def apply(loan: Loan): Int = loan.days //= method apply
}

extension (loan: Loan) //
  def half: Int = loan.days / 2 //= function half

package object tools { //= object tools
  def clean(text: String): String = text.trim //= method clean
}

type Done = Try[Loan] => Unit //= type Done
val opens = 9 //= variable opens
def find(title: String): Option[Loan] = None //= function find
