import 'reflect-metadata';
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import { DataSource, MoreThanOrEqual } from 'typeorm';
import { PlainParcel } from './plain-parcel.js';

// The reference: what a plain Apollo resolver with TypeORM's find gives out, without token, metering or ledger.

const schema = `
  type Parcel {
    parcelId: ID! countyFips: String! apn: String ownerName: String situsAddress: String situsCity: String situsZip: String
    useCode: String landValue: Int totalValue: Int taxYear: Int yearBuilt: Int acres: Float latitude: Float longitude: Float
  }
  type Query {
    parcels(first: Int!, limit: Int!): [Parcel!]!
  }`;

const url = process.argv[2];
const dataSource = await new DataSource({ type: 'postgres', url, entities: [PlainParcel], poolSize: 12 }).initialize();
const parcels = dataSource.getRepository(PlainParcel);
const server = new ApolloServer({
  typeDefs: schema,
  resolvers: {
    Query: {
      parcels: (_: unknown, { first, limit }: { first: number; limit: number }) =>
        parcels.find({ where: { ordinal: MoreThanOrEqual(first) }, order: { ordinal: 'ASC' }, take: limit }),
    },
  },
});
const { url: address } = await startStandaloneServer(server, { listen: { host: '127.0.0.1', port: 0 } });
console.error(JSON.stringify({ port: Number(new URL(address).port), msg: 'listening' }));
process.on('SIGTERM', async () => {
  await server.stop();
  await dataSource.destroy();
});
