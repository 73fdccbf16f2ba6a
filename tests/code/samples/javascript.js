// Things of the shop.
import { base } from './base.js';
const fs = require('fs');

export const LIMIT = 10;
let count = 0;

/**
 * What is bought.
 */
export class Basket extends Base {
  #secret = 1;
  static size = 0;

  constructor(size) {
    super();
  }

  // Puts one in.
  add(item) {
    function inner() {}
    return item;
  }

  get total() { return 1; }
  static async *walk() {}
  handle = () => { };
}

function helper(a, b) {
  return a;
}

export default function main() {}

const quick = async (x) => x;

Basket.prototype.sum = function () { return 1; };

module.exports.other = function () {};

const table = {
  start() {},
  stop: function () {},
};

function* numbers() {}

export { helper, quick as fast };
