// Things of the shop.
import Foundation
import UIKit

public let limit = 10

/// What is bought.
@objc
public class Basket: Base, Seller {
    public var items: [String] = []
    private let size: Int

    public init(size: Int) {
        self.size = size
    }

    deinit { }

    /// Puts one in.
    @discardableResult
    public func add(_ item: String) -> Bool {
        func inner() {}
        return true
    }

    static func build() -> Basket { Basket(size: 1) }

    subscript(i: Int) -> String { items[i] }
}

struct Point {
    var x = 0
    mutating func move() {}
}

enum Kind: String {
    case cheap
    case dear, free
}

protocol Seller {
    var name: String { get }
    func sell(name: String)
}

extension Basket: CustomStringConvertible {
    var description: String { "" }
}

typealias Money = Int

private func helper(a: Int) -> Int { a }

actor Clerk {
    func serve() async {}
}
