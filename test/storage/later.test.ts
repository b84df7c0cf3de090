import { expect, test } from 'vitest';
import { makeLater } from '../../src/storage/lifecycle/later.ts';

function counted() {
  const counts = { made: 0 };
  const { standIn: client, made } = makeLater(() => {
    counts.made += 1;
    return { policies: ['office'], ask: () => 'answered' };
  });
  return { counts, client, made };
}

test('what is made later is made once, when something of it is first asked for', () => {
  const { counts, client, made } = counted();
  const kept = { client };
  expect(made()).toBe(undefined);
  expect(counts.made).toBe(0);
  expect(kept.client.policies).toEqual(['office']);
  expect(kept.client.ask()).toBe('answered');
  expect(made()?.policies).toEqual(['office']);
  expect(counts.made).toBe(1);
});

test('what is made later is also made when it is asked what it has', () => {
  const { counts, client } = counted();
  expect('policies' in client).toBe(true);
  expect('backends' in client).toBe(false);
  expect(counts.made).toBe(1);
});

test('what could not be made is made anew when it is asked again', () => {
  let tries = 0;
  const { standIn: client } = makeLater(() => {
    tries += 1;
    if (tries === 1) throw new Error('not yet');
    return { tries };
  });
  expect(() => client.tries).toThrow(new Error('not yet'));
  expect(client.tries).toBe(2);
});

test('nothing can be put into what stands for it', () => {
  const { client } = counted();
  expect(() => {
    client.policies = [];
  }).toThrow(TypeError);
  expect(client.policies).toEqual(['office']);
});
