// Things of the shop.
#include <vector>
#include "shop.hpp"

#define LIMIT 10

namespace shop {

/// What is bought.
template <typename T>
class Basket : public Base<T> {
 public:
  Basket();
  explicit Basket(int size) : size_(size) {}
  virtual ~Basket() = default;
  void add(const T& item) { items_.push_back(item); }
  T& operator[](int i);
  static int count();

 private:
  std::vector<T> items_;
  int size_ = 0;
};

struct Point { int x; int y; };

enum class Kind { Cheap, Dear };

using Money = long;
typedef unsigned int uint;

namespace detail { int helper(int a) { return a; } }

}  // namespace shop

template <typename T>
int shop::Basket<T>::count() {
  auto f = [](int x) { return x; };
  return f(1);
}

std::string* name_of(const shop::Point& p) { return nullptr; }

Money operator+(const shop::Point& a, int b) { return 0; }

constexpr int kAnswer = 42;
