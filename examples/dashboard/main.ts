// A dashboard for the terminal: who may come in, and which host certificates expire soon. One request draws all of it.

import { readSettings } from '../settings.ts';
import { execute } from './client.ts';
import { graphql } from './generated/gql.js';

const overview = graphql(`
  query Overview($expiresBefore: DateTime!) {
    viewer {
      account {
        name
      }
    }
    ipRestrictions(first: 20) {
      totalCount
      nodes {
        type
        enforced
        ipPolicies {
          description
          rules {
            nodes {
              cidr
              action
            }
          }
        }
      }
    }
    sshHostCertificates(first: 20, validUntilBefore: $expiresBefore) {
      totalCount
      nodes {
        principals
        validUntil
      }
    }
  }
`);

const days = 30;
const expiresBefore = new Date(Date.now() + days * 24 * 60 * 60 * 1000).toISOString();
const { viewer, ipRestrictions, sshHostCertificates } = await execute(readSettings(), overview, { expiresBefore });

const lines = [
  `Account ${viewer.account.name}`,
  '',
  `IP restrictions: ${ipRestrictions.totalCount}`,
  ...ipRestrictions.nodes.flatMap(({ type, enforced, ipPolicies }) => [
    `  ${type}, ${enforced ? 'enforced' : 'warns only'}`,
    ...ipPolicies.map(({ description, rules }) => {
      const ranges = rules.nodes.map(({ cidr, action }) => `${action} ${cidr}`);
      return `    ${description}: ${ranges.join(', ') || 'no rules, which allow nobody'}`;
    }),
  ]),
  '',
  `Host certificates that expire within ${days} days: ${sshHostCertificates.totalCount}`,
  ...sshHostCertificates.nodes.map(
    ({ principals, validUntil }) => `  ${principals.join(', ') || 'all hosts'} until ${validUntil}`,
  ),
];
process.stdout.write(`${lines.join('\n')}\n`);
