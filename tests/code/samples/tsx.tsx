import React from 'react';

interface Props {
  items: string[];
}

/** Shows it. */
export const Basket: React.FC<Props> = ({ items }) => {
  function pick(): void {}
  return <ul onClick={pick}>{items.map((i) => <li key={i}>{i}</li>)}</ul>;
};

export default function Shop(): JSX.Element {
  return <Basket items={[]} />;
}
