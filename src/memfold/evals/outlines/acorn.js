// Reads JavaScript on stdin and writes its symbols as JSON: {version, expected, left_out} or {error}.
// The parser is the one inside node, so this runs as `node --expose-internals`.
'use strict';
const acorn = require('internal/deps/acorn/acorn/dist/acorn');
const source = require('fs').readFileSync(0, 'utf8');
const expected = [];
const leftOut = {};
const FUNCTIONS = new Set(['FunctionExpression', 'ArrowFunctionExpression']);
const named = new Set(); // functions and classes whose name was told with what holds them

function tell(name, kind, node) {
  expected.push([name, kind, node.loc.start.line]);
}

function omit(why) {
  leftOut[why] = (leftOut[why] || 0) + 1;
}

// The node that names what is assigned: `a`, `a.b.c`, `a.#b`; nothing for `a[b]` and patterns.
function nameOf(node) {
  if (node.type === 'Identifier' || node.type === 'PrivateIdentifier') return node;
  if (node.type === 'MemberExpression' && !node.computed) return node.property;
  return null;
}

function spelled(node) {
  return (node.type === 'PrivateIdentifier' ? '#' : '') + (node.name ?? String(node.value));
}

function held(target, value) {
  if (!value || !(FUNCTIONS.has(value.type) || value.type === 'ClassExpression')) return false;
  const name = nameOf(target);
  if (!name) return false;
  tell(spelled(name), value.type === 'ClassExpression' ? 'class' : 'function', name);
  named.add(value);
  return true;
}

function visit(node, top) {
  switch (node.type) {
    case 'FunctionDeclaration':
      if (node.id) tell(node.id.name, 'function', node.id);
      break;
    case 'ClassDeclaration':
      if (node.id) tell(node.id.name, 'class', node.id);
      break;
    case 'VariableDeclarator':
      if (!held(node.id, node.init) && node.id.type === 'Identifier') {
        if (top) tell(node.id.name, 'variable', node.id);
        else omit('a variable inside a function');
      }
      break;
    case 'AssignmentExpression':
      held(node.left, node.right);
      break;
    case 'MethodDefinition':
      named.add(node.value);
      if (node.computed) omit('a name that is computed');
      else tell(spelled(node.key), 'method', node.key);
      break;
    case 'PropertyDefinition':
      if (node.value && FUNCTIONS.has(node.value.type)) named.add(node.value);
      if (node.computed) omit('a name that is computed');
      else tell(spelled(node.key), 'field', node.key);
      break;
    case 'Property':
      if (node.value && FUNCTIONS.has(node.value.type)) {
        named.add(node.value);
        if (node.computed) omit('a name that is computed');
        else tell(spelled(node.key), 'method', node.key);
      }
      break;
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
    case 'ClassExpression':
      if (!named.has(node)) omit('a function or class that nothing is named after');
      break;
  }
}

function walk(root) {
  const waiting = [[root, true]];
  while (waiting.length) {
    const [node, top] = waiting.pop();
    visit(node, top);
    const inside = top && ['Program', 'VariableDeclaration', 'ExportNamedDeclaration'].includes(node.type);
    for (const key of Object.keys(node)) {
      const value = node[key];
      for (const one of Array.isArray(value) ? value : [value]) {
        if (one && typeof one.type === 'string') waiting.push([one, inside]);
      }
    }
  }
}

function parsed() {
  const options = { ecmaVersion: 'latest', locations: true, allowHashBang: true };
  try {
    return acorn.parse(source, { ...options, sourceType: 'module' });
  } catch {
    return acorn.parse(source, { ...options, sourceType: 'script', allowReturnOutsideFunction: true });
  }
}

let answer;
try {
  walk(parsed());
  answer = { version: acorn.version, expected, left_out: leftOut };
} catch (error) {
  answer = { error: error.message };
}
process.stdout.write(JSON.stringify(answer));
