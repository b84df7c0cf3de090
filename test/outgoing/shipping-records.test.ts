// How events and decisions are written for receivers of the shipped trail.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { idOfLine, jsonLine, otlpBody, recordOfEvent, syslogFrame } from '../../src/outgoing/shipping/records.ts';
import { read } from '../support/source-files.ts';

const event = {
  id: 'evt_1',
  createdAt: new Date('2027-01-31T09:30:00.250Z'),
  action: 'update',
  kind: 'IpPolicy',
  objectId: 'ipp_1',
  version: 2,
  actor: 'ak_1',
  actorDescription: 'a "key" \\ of [ops]\n<110>1 forged',
  requestId: null,
  surface: 'rest',
  clientAddress: '2001:db8::1',
  state: '{"description":"office","__proto__":1}',
};
const account = { id: 'acc_1', name: 'default' };
const record = recordOfEvent(event, account, 'office');
const sender = { hostname: 'host 1', process: 7 };

test('an event is a line of JSON whose state is what the trail has, to the byte', () => {
  const line = jsonLine(record);
  expect(line).toBe(
    '{"id":"evt_1","time":"2027-01-31T09:30:00.250Z","type":"ip_policy.update",' +
      '"message":"ak_1 (a \\"key\\" \\\\ of [ops]\\n<110>1 forged) updated IpPolicy ipp_1 \\"office\\"",' +
      '"account_id":"acc_1","account_name":"default","action":"update","kind":"IpPolicy","object_id":"ipp_1",' +
      '"object_name":"office","version":2,"actor":"ak_1","actor_description":"a \\"key\\" \\\\ of [ops]\\n<110>1 forged",' +
      '"request_id":null,"surface":"rest","client_address":"2001:db8::1","state":{"description":"office","__proto__":1}}\n',
  );
  expect([idOfLine(line), idOfLine('{"time":"x"}'), idOfLine('')]).toEqual(['evt_1', null, null]);
});

test('a message of syslog is framed by its bytes, and nothing in it begins a message or a field of its own', () => {
  const frame = syslogFrame(record, sender).toString();
  const message =
    '<110>1 2027-01-31T09:30:00.250Z host_1 sallyport 7 ip_policy.update [sallyport@32473 event_id="evt_1" account_id="acc_1" ' +
    'account_name="default" action="update" kind="IpPolicy" object_id="ipp_1" object_name="office" version="2" actor="ak_1" ' +
    'actor_description="a \\"key\\" \\\\ of [ops\\]\\\\n<110>1 forged" surface="rest" client_address="2001:db8::1"] ' +
    'ak_1 (a "key" \\ of [ops]\\n<110>1 forged) updated IpPolicy ipp_1 "office"';
  expect(frame).toBe(`${Buffer.byteLength(message)} ${message}`);
});

test('a message of syslog fits into what every receiver takes, whatever is in it', () => {
  const worst = '"\\]\u0000é'.repeat(500);
  const long = recordOfEvent(
    {
      ...event,
      kind: 'SshCertificateAuthoritySuccession',
      actor: worst,
      actorDescription: worst,
      clientAddress: worst,
    },
    { id: 'acc_1', name: worst },
    worst,
  );
  const frame = syslogFrame(long, { hostname: 'h'.repeat(300), process: 7 });
  expect(frame.length).toBeLessThan(8_192);
  expect(frame.toString()).toContain(` ${'h'.repeat(255)} sallyport 7 ssh_certificate_authority_succes [`);
});

test('a refused request is a warning that says what was asked for', () => {
  const refused = recordOfEvent(
    { ...event, kind: 'Request', action: 'refuse', objectId: 'op_1', actorDescription: '' },
    account,
    'DELETE /ip_policies FORBIDDEN',
  );
  expect(syslogFrame(refused, sender).toString()).toMatch(
    /^\d+ <108>1 .* request\.refuse .*\] ak_1 was refused: DELETE \/ip_policies FORBIDDEN$/,
  );
});

test('a request of OTLP names the service, and each record by the conventions of OpenTelemetry', () => {
  const short = recordOfEvent({ ...event, actorDescription: '', requestId: 'op_1' }, account, null);
  const scope = { name: 'sallyport', version: '1.0.0' };
  const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
  expect(JSON.parse(otlpBody([short], { 'service.name': 'gate' }, scope, new Date(1_000)))).toEqual({
    resourceLogs: [
      {
        resource: { attributes: [text('service.name', 'gate')] },
        scopeLogs: [
          {
            scope,
            logRecords: [
              {
                timeUnixNano: '1801387800250000000',
                observedTimeUnixNano: '1000000000',
                severityNumber: 9,
                severityText: 'INFO',
                eventName: 'sallyport.ip_policy.update',
                body: { stringValue: 'ak_1 updated IpPolicy ipp_1' },
                attributes: [
                  text('log.record.uid', 'evt_1'),
                  text('sallyport.account_id', 'acc_1'),
                  text('sallyport.account_name', 'default'),
                  text('sallyport.action', 'update'),
                  text('sallyport.kind', 'IpPolicy'),
                  text('sallyport.object_id', 'ipp_1'),
                  { key: 'sallyport.version', value: { intValue: '2' } },
                  text('sallyport.actor', 'ak_1'),
                  text('sallyport.request_id', 'op_1'),
                  text('sallyport.surface', 'rest'),
                  text('client.address', '2001:db8::1'),
                  text('sallyport.state', event.state),
                ],
              },
            ],
          },
        ],
      },
    ],
  });
  const large = recordOfEvent({ ...event, state: JSON.stringify('x'.repeat(40_000)) }, account, null);
  expect(otlpBody([large], {}, scope, new Date(0))).not.toContain('sallyport.state');
});

test('what the page sets is a configuration that ships, and the line that it shows has the names of ours', () => {
  const page = read('docs/trail-shipping.md');
  const directory = mkdtempSync(join(tmpdir(), 'page-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const ca = join(directory, 'ca.pem');
  writeFileSync(ca, '-----BEGIN CERTIFICATE-----');
  const set = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) =>
    block
      .trim()
      .split('\n')
      .map((line): [string, string] => {
        const [name = '', ...value] = line.split('=');
        return [name, name.endsWith('_CA') ? ca : value.join('=')];
      }),
  );
  expect(readConfig(Object.fromEntries(set)).shipping).toEqual({
    file: { path: '/var/log/sallyport/trail.jsonl', bytesMax: 104_857_600, kept: 10 },
    syslog: { host: 'logs.example.com', port: 6514, isTls: true, ca: '-----BEGIN CERTIFICATE-----' },
    otlp: {
      url: 'https://collector.example.com:4318/v1/logs',
      headers: { authorization: 'Bearer token-of-the-collector' },
      timeoutMs: 10_000,
      ca: null,
      resource: { 'service.name': 'sallyport', 'deployment.environment.name': 'production' },
    },
    gateSample: 0,
  });
  const shown = /```json\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
  expect(Object.keys(JSON.parse(shown))).toEqual(Object.keys(JSON.parse(jsonLine(record))));
});
