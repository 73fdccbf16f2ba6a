import React from 'react';

// Shows it.
export function Basket({ items }) {
  const onClick = () => items.pop();
  return <ul onClick={onClick}>{items.map((i) => <li>{i}</li>)}</ul>;
}

export default class Shop extends React.Component {
  render() {
    return <Basket items={[]} />;
  }
}

const Small = () => <b>small</b>;
