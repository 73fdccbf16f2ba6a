defmodule Shop.Basket do
  @moduledoc """
  What is bought.
  """
  use GenServer
  alias Shop.Base
  import Enum, only: [map: 2]

  @limit 10
  @type t :: %__MODULE__{}

  defstruct [:items, total: 0]

  @doc "Puts one in."
  @spec add(t, term) :: t
  def add(basket, item) when is_map(basket) do
    basket
  end

  def add(_, _), do: nil

  defp secret(x), do: x

  defmacro shout(x) do
    quote do: unquote(x)
  end

  defguard is_big(x) when x > 10

  def zero, do: 0

  def left + right when is_map(left) do
    merge(left, right)
  end

  defmacro left and right do
    quote do: both(unquote(left), unquote(right))
  end

  defmodule Inner do
    def run(x), do: x
  end
end

defprotocol Shop.Seller do
  def sell(thing)
end

defimpl Shop.Seller, for: Shop.Basket do
  def sell(b), do: b
end
