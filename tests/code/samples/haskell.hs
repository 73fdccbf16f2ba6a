-- | Things of the shop.
module Shop (Basket(..), add, Seller(..)) where

import Data.List (sort)
import qualified Data.Map as M

-- | What is bought.
data Basket a = Basket { items :: [a], total :: Int }
  | Empty
  deriving (Show)

newtype Money = Money Int

type Name = String

class Seller a where
  sell :: a -> Name -> Bool
  twice :: a -> a
  twice = id

instance Seller (Basket b) where
  sell _ _ = True

-- | Puts one in.
add :: a -> Basket a -> Basket a
add x (Basket xs n) = Basket (x : xs) n
add _ Empty = Empty

helper a b = a + b
  where inner = 1

limit :: Int
limit = 10

type family Elem c

infixl 6 |+|
(|+|) :: Int -> Int -> Int
a |+| b = a + b
