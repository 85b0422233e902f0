import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * People and their sessions, as better-auth 1.7 wants them (`getMigrations(…).compileMigrations()`, hence the quoted
 * camelCase), in a schema of their own, with constraints that hold whatever the code does.
 */
export class Accounts1790000000003 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`create schema auth`);
    // An account that its owner deleted keeps its row, without anything personal in it: the ledger still points here.
    await db.query(`
      create table auth."user" (
        id              text        not null,
        name            text        not null,
        email           text        not null,
        "emailVerified" boolean     not null,
        image           text,
        role            text        not null default 'user',
        banned          boolean     not null default false,
        "deletedAt"     timestamptz,
        "createdAt"     timestamptz not null default now(),
        "updatedAt"     timestamptz not null default now(),
        constraint user_pkey primary key (id),
        constraint user_email_unique unique (email),
        constraint user_email_lower_case check (email = lower(email)),
        constraint user_role_known check (role in ('user', 'admin'))
      )
    `);
    await db.query(`
      create table auth.session (
        id          text        not null,
        token       text        not null,
        "userId"    text        not null,
        "ipAddress" text,
        "userAgent" text,
        "expiresAt" timestamptz not null,
        "createdAt" timestamptz not null default now(),
        "updatedAt" timestamptz not null,
        -- the person got another role since: the first session that is used gets a new token, the others end
        "renewalDue" boolean    not null default false,
        constraint session_pkey primary key (id),
        constraint session_token_unique unique (token),
        constraint session_user_fkey foreign key ("userId") references auth."user" (id) on delete cascade
      )
    `);
    await db.query(`create index session_user_id on auth.session ("userId")`);
    await db.query(`
      create table auth.account (
        id                      text        not null,
        "accountId"             text        not null,
        "providerId"            text        not null,
        "userId"                text        not null,
        "accessToken"           text,
        "refreshToken"          text,
        "idToken"               text,
        "accessTokenExpiresAt"  timestamptz,
        "refreshTokenExpiresAt" timestamptz,
        scope                   text,
        password                text,
        "createdAt"             timestamptz not null default now(),
        "updatedAt"             timestamptz not null,
        constraint account_pkey primary key (id),
        constraint account_one_a_provider unique ("userId", "providerId"),
        constraint account_user_fkey foreign key ("userId") references auth."user" (id) on delete cascade
      )
    `);
    await db.query(`
      create table auth.verification (
        id          text        not null,
        identifier  text        not null,
        value       text        not null,
        "expiresAt" timestamptz not null,
        "createdAt" timestamptz not null default now(),
        "updatedAt" timestamptz not null default now(),
        constraint verification_pkey primary key (id)
      )
    `);
    await db.query(`create index verification_identifier on auth.verification (identifier)`);
    // Links that verify or change an address: each works once, while its row is here.
    await db.query(`
      create table auth.mailed_link (
        secret_hash bytea       not null,
        user_id     text        not null,
        auth_token  text        not null,
        expires_at  timestamptz not null,
        constraint mailed_link_pkey primary key (secret_hash),
        constraint mailed_link_user_fkey foreign key (user_id) references auth."user" (id) on delete cascade
      )
    `);
    await db.query(`create index mailed_link_user_id on auth.mailed_link (user_id)`);
    // One credential opens one account: better-auth looks it up by this number alone.
    await db.query(`
      create table auth.passkey (
        id             text    not null,
        name           text,
        "publicKey"    text    not null,
        "userId"       text    not null,
        "credentialID" text    not null,
        counter        integer not null,
        "deviceType"   text    not null,
        "backedUp"     boolean not null,
        transports     text,
        "createdAt"    timestamptz,
        aaguid         text,
        constraint passkey_pkey primary key (id),
        constraint passkey_credential_unique unique ("credentialID"),
        constraint passkey_user_fkey foreign key ("userId") references auth."user" (id) on delete cascade
      )
    `);
    await db.query(`create index passkey_user on auth.passkey ("userId")`);
    // What limits count: one row for each event under each of its keys, shared by all servers.
    await db.query(`
      create table auth.rate_limit_event (
        id  bigint      generated always as identity,
        key text        not null,
        at  timestamptz not null default service_now(),
        constraint rate_limit_event_pkey primary key (id)
      )
    `);
    await db.query(`create index rate_limit_event_key on auth.rate_limit_event (key, at desc)`);
    await db.query(`create index rate_limit_event_at on auth.rate_limit_event (at)`);
    // Where a person has signed in from before: an address, or a browser that we gave a cookie (its hash).
    await db.query(`
      create table auth.known_source (
        user_id text        not null,
        source  text        not null,
        seen_at timestamptz not null default service_now(),
        constraint known_source_pkey primary key (user_id, source),
        constraint known_source_user_fkey foreign key (user_id) references auth."user" (id) on delete cascade
      )
    `);
    await db.query(`create index known_source_seen_at on auth.known_source (seen_at)`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop schema auth cascade`);
  }
}
