using System;
using System.Collections.Generic;

namespace Shop.Things
{
    /// <summary>What is bought.</summary>
    [Serializable]
    public class Basket<T> : Base, ISeller
    {
        public const int Limit = 10;
        private readonly List<T> items = new();
        public int Total { get; private set; }
        public event EventHandler Changed;

        public Basket(int size) { }
        ~Basket() { }

        // Puts one in.
        public void Add(T item)
        {
            void Inner() { }
        }

        internal int Sum() => 0;
        public T this[int i] => items[i];
        public static Basket<T> operator +(Basket<T> a, Basket<T> b) => a;
        private class Hidden { }
    }

    public interface ISeller { void Sell(string name); }
    public struct Point { public int X; }
    public enum Kind { Cheap, Dear = 5 }
    public record Person(string Name, int Age);
    public delegate void Done(int code);
}
