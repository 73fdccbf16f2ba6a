# Things of the shop.
require "json"
require_relative "base"

module Shop
  LIMIT = 10

  # What is bought.
  class Basket < Base
    attr_reader :items

    def initialize(size)
      @size = size
    end

    # Puts one in.
    def add(item)
      items << item
    end

    def self.build
      new(1)
    end

    def empty? = items.empty?

    class << self
      def count
        0
      end
    end

    private

    def secret!
      1
    end
  end

  class Shop::Error < StandardError; end
end

def helper(a, b: 1)
  a
end
