// The variables that the OpenTelemetry standard names (https://opentelemetry.io/docs/specs/otel/protocol/exporter/ and
// .../configuration/sdk-environment-variables/), as far as they concern logs. They are checked only if something is shipped: they
// may be set for other programs. A value is never repeated, because it may be a secret.

import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { remedies } from '../../domain/remedies.ts';
import type { OtlpSettings } from './otlp.ts';

const text = z.string().nullable().default(null);

/** The variables. Those of logs come before those of all signals. */
export const otelVariables = {
  OTEL_SDK_DISABLED: text,
  OTEL_LOGS_EXPORTER: text,
  OTEL_SERVICE_NAME: text,
  OTEL_RESOURCE_ATTRIBUTES: text,
  OTEL_EXPORTER_OTLP_ENDPOINT: text,
  OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: text,
  OTEL_EXPORTER_OTLP_PROTOCOL: text,
  OTEL_EXPORTER_OTLP_LOGS_PROTOCOL: text,
  OTEL_EXPORTER_OTLP_HEADERS: text,
  OTEL_EXPORTER_OTLP_LOGS_HEADERS: text,
  OTEL_EXPORTER_OTLP_TIMEOUT: text,
  OTEL_EXPORTER_OTLP_LOGS_TIMEOUT: text,
  OTEL_EXPORTER_OTLP_CERTIFICATE: text,
  OTEL_EXPORTER_OTLP_LOGS_CERTIFICATE: text,
};

type Name = keyof typeof otelVariables;
type Given = Readonly<Record<Name, string | null>>;
type SignalSetting = 'ENDPOINT' | 'PROTOCOL' | 'HEADERS' | 'TIMEOUT' | 'CERTIFICATE';

/** Milliseconds for a request, unless said otherwise, and at most. */
const timeoutMs = { default: 10_000, max: 600_000 };

/** Reads the variables: the settings, null if nothing is shipped that way; and what is wrong, by name of a variable. */
export function readOtel(given: Given): {
  readonly settings: OtlpSettings | null;
  readonly problems: readonly (readonly [Name, string])[];
} {
  const of = (setting: SignalSetting): readonly [Name, string | null] => {
    const own = `OTEL_EXPORTER_OTLP_LOGS_${setting}` as const;
    return given[own] === null
      ? [`OTEL_EXPORTER_OTLP_${setting}`, given[`OTEL_EXPORTER_OTLP_${setting}`]]
      : [own, given[own]];
  };
  const [endpointName, endpoint] = of('ENDPOINT');
  const isOff = given.OTEL_SDK_DISABLED?.toLowerCase() === 'true' || given.OTEL_LOGS_EXPORTER === 'none';
  if (endpoint === null || isOff) return { settings: null, problems: [] };

  const problems: (readonly [Name, string])[] = [];
  const read = <T>(name: Name, value: string | null, reader: (value: string) => T | string, otherwise: T): T => {
    if (value === null) return otherwise;
    const found = reader(value);
    if (typeof found !== 'string') return found;
    problems.push([name, found]);
    return otherwise;
  };
  const [protocolName, protocol] = of('PROTOCOL');
  if (protocol !== null && protocol !== 'http/json') {
    const own = `set ${remedies.setLogsProtocol}, which collectors take at the port of http/protobuf (4318)`;
    const none = `or ${remedies.setNoLogsExporter} to ship nothing that way`;
    problems.push([protocolName, `names a protocol that Sallyport does not speak: ${own}, ${none}`]);
  }
  if (given.OTEL_LOGS_EXPORTER !== null && given.OTEL_LOGS_EXPORTER !== 'otlp') {
    problems.push(['OTEL_LOGS_EXPORTER', 'must be otlp or none']);
  }
  const url = read(endpointName, endpoint, urlReader(endpointName === 'OTEL_EXPORTER_OTLP_ENDPOINT'), null);
  const attributes = read('OTEL_RESOURCE_ATTRIBUTES', given.OTEL_RESOURCE_ATTRIBUTES, readPairs, {});
  const service = given.OTEL_SERVICE_NAME ?? attributes['service.name'] ?? 'sallyport';
  const settings = {
    url: url?.href ?? '',
    headers: read(...of('HEADERS'), readHeaders, {}),
    timeoutMs: read(...of('TIMEOUT'), readTimeout, timeoutMs.default),
    ca: read<{ readonly pem: string | null }>(...of('CERTIFICATE'), readCertificate, { pem: null }).pem,
    resource: { ...attributes, 'service.name': service },
  };
  return { settings: problems.length > 0 ? null : settings, problems };
}

const urlReader =
  (isGeneral: boolean) =>
  (value: string): URL | string => {
    const url = URL.canParse(value) ? new URL(value) : null;
    const isUsable = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
    if (!isUsable) return 'must be an http or https URL without a password, such as https://collector.example.com:4318';
    // Only the general endpoint is that of all signals.
    if (isGeneral) url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/logs`;
    return url;
  };

/** Reads pairs such as `key=value,other=value`, whose values are percent-encoded. */
function readPairs(value: string): Record<string, string> | string {
  const pairs: Record<string, string> = {};
  for (const entry of value.split(',').filter((each) => each.trim() !== '')) {
    const [, key = '', text = ''] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(entry) ?? [];
    try {
      pairs[key] = decodeURIComponent(text);
    } catch {
      return pairsForm;
    }
    if (key === '') return pairsForm;
  }
  return pairs;
}

const pairsForm = 'must be pairs such as key=value,other=value, with values in percent-encoding';

function readHeaders(value: string): Record<string, string> | string {
  const pairs = readPairs(value);
  if (typeof pairs === 'string') return pairs;
  const fields = Object.entries(pairs).map(([name, text]) => [name.toLowerCase(), text] as const);
  const areFields = fields.every(([name, text]) => /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\x20-\x7e]*$/.test(text));
  return areFields
    ? Object.fromEntries(fields)
    : 'must be names and values of header fields, such as authorization=Bearer%20abc';
}

function readTimeout(value: string): number | string {
  const ms = Number(value);
  if (/^\d+$/.test(value) && ms >= 1 && ms <= timeoutMs.max) return ms;
  return `must be a number of milliseconds from 1 to ${timeoutMs.max}`;
}

/** Reads a file of certificates in PEM; null if it has none, or cannot be read. */
export function readCertificates(path: string): string | null {
  try {
    const text = readFileSync(path, 'utf8');
    return text.includes('-----BEGIN CERTIFICATE-----') ? text : null;
  } catch {
    return null;
  }
}

/** What such a file must be. The path is not repeated, as no value is. */
export const certificatesForm = 'must be a file with certificates in PEM that can be read';

function readCertificate(path: string): { readonly pem: string } | string {
  const pem = readCertificates(path);
  return pem === null ? certificatesForm : { pem };
}
