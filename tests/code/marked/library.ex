defprotocol Library.Lendable do #= protocol Library.Lendable
  @doc "Its title."
  def title(thing) #= function title
  @spec copies(t) :: integer
  def copies(thing) #= function copies
end

defmodule Library.Loan do #= module Library.Loan
  @moduledoc "One loan."
  use GenServer
  import Enum, only: [map: 2]
  alias Library.Reader

  @longest 60
  @type t :: %__MODULE__{book: String.t(), days: integer} #= type t
  @typep key :: integer #= type key
  @opaque state(a) :: {a, integer} #= type state
  @callback lend(t) :: {:ok, t} #= callback lend
  @macrocallback rule(atom) :: Macro.t() #= callback rule

  defstruct book: "", days: 14 #= struct defstruct

  defguard is_late(days) when days < 0 #= macro is_late
  defguardp is_long(days) when days > @longest #= macro is_long

  @doc """
  Makes one.

      def wrong(example), do: example
  """
  def new(book), do: %__MODULE__{book: book} #= function new

  def extend(loan, more \\ 7) #= function extend

  def extend(%{days: days} = loan, more) when days + more > @longest do
    most = @longest
    %{loan | days: most}
  end

  def extend(loan, more) do
    capped = fn n -> min(n, @longest) end
    %{loan | days: capped.(loan.days + more)}
  end

  defp secret(_loan), do: nil #= function secret
  def late?(%{days: days}) when is_late(days), do: true #= function late?
  def late?(_), do: false
  def pay!(loan), do: loan #= function pay!
  def left + right when is_map(left), do: left.days + right.days #= function +
  def left <~> right, do: {left, right} #= function <~>
  defdelegate size(list), to: Enum, as: :count #= function size

  defmacro rule(name, do: block) do #= macro rule
    quote do
      unquote(name)
      unquote(block)
    end
  end

  defmacrop hidden(x), do: x #= macro hidden

  @impl true
  def init(arg), do: {:ok, arg} #= function init

  @impl true
  def handle_call(:days, _from, state) do #= function handle_call
    {:reply, state.days, state}
  end

  def handle_call({:extend, n}, _from, state), do: {:reply, n, state}

  defmodule Card do #= module Card
    defexception [:message] #= struct defexception
    def number, do: 1 #= function number
  end
end

defimpl Library.Lendable, for: Library.Loan do #= implementation Library.Lendable
  def title(loan), do: loan.book #= function title
  def copies(_loan), do: 1 #= function copies
end

defmodule Library.Reader do #= module Library.Reader
  @derive {Inspect, only: [:name]}
  defstruct [:name, loans: []] #= struct defstruct

  @spec borrow(map, map) :: map
  def borrow(reader, loan) do #= function borrow
    reader
    |> Map.update(:loans, [loan], &[loan | &1])
    |> tidy()
  end

  defp tidy(reader), do: reader #= function tidy
  def count(%{loans: loans}), do: length(loans) #= function count
  def find(reader, test) when is_function(test, 1) do #= function find
    Enum.find(reader.loans, test)
  end
  def none(), do: nil #= function none
  def unquote(:odd)(), do: 1
end

defmodule Library do #= module Library
  @moduledoc false
  @opens 9
  def opens, do: @opens #= function opens
  def closed, do: 18 #= function closed
  defp log(text), do: IO.puts(text) #= function log
  def all(), do: log("all") #= function all
end
