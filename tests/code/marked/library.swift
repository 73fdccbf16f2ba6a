import Foundation
import UIKit

/// What can be lent.
public protocol Lendable { //= protocol Lendable
    associatedtype Key: Hashable //= type Key
    var title: String { get } //= property title
    var copies: Int { get set } //= property copies
    func lend(to reader: Reader) throws -> Loan //= method lend
    static func make(key: Key) -> Self //= method make
}

enum LibraryError: Error { //= enum LibraryError
    case noCopies //= case noCopies
    case unknown(title: String) //= case unknown
    case late, lost //= case late, case lost

    var text: String { //= property text
        switch self {
        case .noCopies: return "none left"
        default: return "error"
        }
    }

    static func from(_ code: Int) -> LibraryError { .lost } //= method from
}

struct Loan: Codable { //= struct Loan
    let book: String //= property book
    var days = 14 //= property days
    private(set) var returned: Date? //= property returned
    static let longest = 60 //= property longest

    init(book: String) { //= constructor init
        self.book = book
    }

    mutating func extend(by more: Int = 7) { //= method extend
        let most = Loan.longest
        days = min(days + more, most)
    }

    subscript(index: Int) -> Character { //= method subscript
        book[book.index(book.startIndex, offsetBy: index)]
    }
}

public final class Reader { //= class Reader
    public let name: String //= property name
    weak var friend: Reader? //= property friend
    private lazy var loans: [Loan] = { //= property loans
        []
    }()
    var isLate: Bool { //= property isLate
        get { loans.contains { $0.days < 0 } }
        set { _ = newValue }
    }

    public init(name: String) { self.name = name } //= constructor init
    convenience init() { self.init(name: "nobody") } //= constructor init
    deinit { print("gone") } //= destructor deinit

    @discardableResult
    public func borrow(_ book: Loan) -> Bool { //= method borrow
        func count() -> Int { loans.count } //= function count
        let before = count()
        loans.append(book)
        return before < count()
    }

    override class func description() -> String { "reader" } //= method description

    struct Card { //= struct Card
        var number: Int //= property number
        enum Color { case red, green } //= enum Color, case red, case green
    }
}

actor Shelf { //= actor Shelf
    private var books: [String: Int] = [:] //= property books
    func put(_ book: String) async { //= method put
        books[book, default: 0] += 1
    }
}

extension Reader: CustomStringConvertible { //= extension Reader
    public var description: String { name } //= property description
    func rename<T: StringProtocol>(to new: T) -> Reader where T: Hashable { Reader() } //= method rename
}

extension Array where Element == Loan { //= extension Array
    func late() -> [Loan] { filter { $0.days < 0 } } //= method late
}

typealias Done = (Result<Loan, LibraryError>) -> Void //= type Done
let open = 9 //= variable open
var closed: Int { 18 } //= variable closed

func find(_ title: String, in shelf: Shelf, done: Done? = nil) async throws -> Loan? { //= function find
    let answer = Loan(book: title)
    defer { done?(.success(answer)) }
    return answer
}

func == (left: Loan, right: Loan) -> Bool { left.book == right.book } //= function ==
private func secret() {} //= function secret
