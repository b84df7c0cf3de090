// Peer (d): Sallyport's stack as its authors document it (pothos-graphql.dev, "Prisma plugin"; the-guild.dev, "Yoga"), with nothing
// tuned: yoga, Pothos with its plugin for Prisma, and Prisma with its stock adapter. Run with the URL of a database.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import SchemaBuilder from '@pothos/core';
import PrismaPlugin from '@pothos/plugin-prisma';
import { createYoga } from 'graphql-yoga';
import type PrismaTypes from '../../src/storage/generated/pothos.ts';
import { getDatamodel } from '../../src/storage/generated/pothos.ts';
import { announce, newId } from '../opponent.ts';
import { openStockPrisma } from '../stock-prisma.ts';

const [, , url = ''] = process.argv;
const prisma = await openStockPrisma(url);
// There is one account, and no key is checked.
const { id: accountId } = await prisma.account.findFirstOrThrow();

const builder = new SchemaBuilder<{ PrismaTypes: PrismaTypes }>({
  plugins: [PrismaPlugin],
  prisma: { client: prisma, dmmf: getDatamodel() },
});

const IpPolicy = builder.prismaObject('IpPolicy', {
  fields: (t) => ({
    id: t.exposeID('id'),
    createdAt: t.string({ resolve: ({ createdAt }) => createdAt.toISOString() }),
    description: t.exposeString('description'),
    metadata: t.exposeString('metadata'),
    version: t.exposeInt('version'),
  }),
});

builder.queryType({
  fields: (t) => ({
    ipPolicy: t.prismaField({
      type: IpPolicy,
      nullable: true,
      args: { id: t.arg.id({ required: true }) },
      resolve: (query, _root, { id }) => prisma.ipPolicy.findUnique({ ...query, where: { id: String(id) } }),
    }),
    ipPolicies: t.prismaField({
      type: [IpPolicy],
      args: { first: t.arg.int({ required: true }) },
      resolve: (query, _root, { first }) =>
        prisma.ipPolicy.findMany({ ...query, where: { accountId }, orderBy: { id: 'desc' }, take: first }),
    }),
  }),
});

builder.mutationType({
  fields: (t) => ({
    createIpPolicy: t.prismaField({
      type: IpPolicy,
      args: { description: t.arg.string({ required: true }), metadata: t.arg.string({ required: true }) },
      resolve: (query, _root, notes) => {
        const now = new Date();
        const data = { id: newId('IpPolicy'), accountId, ...notes, createdAt: now, updatedAt: now };
        return prisma.ipPolicy.create({ ...query, data });
      },
    }),
  }),
});

const server = createServer(createYoga({ schema: builder.toSchema() }));
server.listen(0, '127.0.0.1', () => {
  // A server that listens on TCP has an address with a port.
  announce((server.address() as AddressInfo).port);
});
