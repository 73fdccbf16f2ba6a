import type { Base } from './base';
import * as fs from 'fs';

export const LIMIT: number = 10;

/** What is bought. */
@decorated()
export abstract class Basket<T> extends Base implements Seller {
  private items: T[] = [];
  readonly size = 0;

  constructor(private n: number) {
    super();
  }

  add(item: T): void;
  add(item: T, twice?: boolean): void {
    this.items.push(item);
  }

  protected abstract sum(): number;
}

export interface Seller {
  name: string;
  sell(name: string): boolean;
}

export type Money = number | bigint;

export enum Kind {
  Cheap,
  Dear = 'dear',
}

namespace Inner {
  export function deep(): void {}
}

declare module 'other' {
  export function known(): void;
}

declare function outside(a: string): void;

// Helps.
export async function helper<T>(a: T, b = 1): Promise<T> {
  return a;
}

const quick = <T,>(x: T): T => x;

export default quick;
