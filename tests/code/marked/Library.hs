{-# LANGUAGE GADTs, TypeFamilies #-}
module Library
  ( Loan (..)
  , extend
  ) where

import qualified Data.Map as Map
import Data.List (sortOn)

-- | How long a loan may be.
longest :: Int -- = function longest
longest = 60

type Title = String -- = type Title
type Shelf a = Map.Map Title a -- = type Shelf

-- | One loan.
data Loan = Loan -- = data Loan
  { book :: Title
  , days :: Int
  } deriving (Eq, Show)

data Color = Red | Green -- = data Color
  deriving (Enum)

newtype Reader = Reader { name :: String } -- = newtype Reader

data Expr a where -- = data Expr
  Number :: Int -> Expr Int
  Both :: Expr a -> Expr a -> Expr a

class Lendable a where -- = class Lendable
  title :: a -> Title -- = function title
  copies :: a -> Int -- = function copies
  copies _ = 1

class (Lendable a) => Counted a where -- = class Counted
  type Key a -- = type Key
  count :: a -> Int -- = function count

instance Lendable Loan where -- = instance Lendable
  title = book -- = function title
  copies loan = days loan -- = function copies

instance Show Reader where -- = instance Show
  show (Reader n) = n -- = function show

type family Held a -- = type Held
type instance Held Loan = Reader

extend :: Int -> Loan -> Loan -- = function extend
extend more loan = loan { days = capped (days loan + more) }
  where
    capped n = min n longest

late :: Loan -> Bool -- = function late
late loan
  | days loan < 0 = True
  | otherwise = False

color :: Int -> Color -- = function color
color 0 = Red
color _ = Green

(<+>) :: Loan -> Loan -> Int -- = function (<+>)
a <+> b = days a + days b

infixl 6 <+>

half, double :: Int -> Int
half n = n `div` 2 -- = function half
double n = n * 2 -- = function double

noSignature x = x -- = function noSignature

eval :: Expr a -> Int -- = function eval
eval expr = case expr of
  Number n -> n
  Both a b -> let total = eval a + eval b in total

sorted :: [Loan] -> [Loan] -- = function sorted
sorted = sortOn days

emptyShelf :: Shelf Loan -- = function emptyShelf
emptyShelf = Map.empty

put :: Loan -> Shelf Loan -> Shelf Loan -- = function put
put loan = Map.insert (book loan) loan

find :: Title -> Shelf Loan -> Maybe Loan -- = function find
find = Map.lookup

greet :: Reader -> IO () -- = function greet
greet reader = do
  let text = "hello " ++ name reader
  putStrLn text

twice :: (a -> a) -> a -> a -- = function twice
twice f = f . f

opens :: Int -- = function opens
opens = 9

rename :: String -> Reader -> Reader -- = function rename
rename new _ = Reader new

sumOf :: [Int] -> Int -- = function sumOf
sumOf = foldr (\x acc -> x + acc) 0

total :: Shelf Loan -> Int -- = function total
total shelf = sumOf (map days (Map.elems shelf))

main :: IO () -- = function main
main = greet (Reader "a")

-- | Says whether nothing is left.
isEmpty :: Shelf Loan -> Bool -- = function isEmpty
isEmpty shelf
  | Map.null shelf, let n = 0, n == 0 = True
isEmpty _ = False

data Card = Card Int | Lost { since :: Int } -- = data Card

pairs :: [(Int, Int)] -- = function pairs
pairs = [(x, y) | x <- [1 .. 3], let y = x * x]
