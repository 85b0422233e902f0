import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * People and their sessions, in a schema of their own. Columns in quoted camel case are those of better-auth 1.7
 * (`getMigrations(…).compileMigrations()`); the constraints are ours.
 */
export class Accounts1800000000006 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create schema auth;

      -- A deleted account keeps its row without personal data, because the ledger refers to it.
      create table auth."user" (
        id                 text        primary key,
        name               text        not null,
        email              text        not null constraint user_email_unique unique,
        "emailVerified"    boolean     not null,
        image              text,
        role               text        not null default 'user' constraint user_role_known check (role in ('user', 'admin')),
        banned             boolean     not null default false,
        "trialLimitLifted" boolean     not null default false, -- whether an operator lifted the limits of trials for this account
        "deletedAt"        timestamptz,
        "createdAt"        timestamptz not null default now(),
        "updatedAt"        timestamptz not null default now(),
        constraint user_email_lower_case check (email = lower(email))
      );
      create index user_created on auth."user" ("createdAt" desc, id);
      -- Where a host lacks the extension, a search reads all accounts.
      do $$ begin
        create extension if not exists pg_trgm schema public;
        create index user_text on auth."user" using gin
          (lower(email) public.gin_trgm_ops, lower(name) public.gin_trgm_ops, lower(id) public.gin_trgm_ops);
      exception when undefined_file or undefined_object or feature_not_supported or insufficient_privilege then
        raise warning 'pg_trgm is missing: %', sqlerrm;
      end $$;

      create table auth.session (
        id           text        primary key,
        -- gives access to the account, so it is sent in the cookie only
        token        text        not null constraint session_token_unique unique,
        "userId"     text        not null constraint session_user_fkey references auth."user" (id) on delete cascade,
        "ipAddress"  text,
        "userAgent"  text,
        "expiresAt"  timestamptz not null,
        "createdAt"  timestamptz not null default now(),
        "updatedAt"  timestamptz not null,
        -- the person's role has changed: the first session used after that gets a new token, and the others end
        "renewalDue" boolean     not null default false
      );
      create index session_user_id on auth.session ("userId");

      -- A person's password. The table could hold other sign-in providers; we use none.
      create table auth.account (
        id                      text        primary key,
        "accountId"             text        not null,
        "providerId"            text        not null,
        "userId"                text        not null constraint account_user_fkey references auth."user" (id) on delete cascade,
        "accessToken"           text,
        "refreshToken"          text,
        "idToken"               text,
        "accessTokenExpiresAt"  timestamptz,
        "refreshTokenExpiresAt" timestamptz,
        scope                   text,
        password                text, -- the hash of the password
        "createdAt"             timestamptz not null default now(),
        "updatedAt"             timestamptz not null,
        constraint account_one_a_provider unique ("userId", "providerId")
      );

      -- Links that reset a password, and passkey challenges.
      create table auth.verification (
        id          text        primary key,
        identifier  text        not null,
        value       text        not null,
        "expiresAt" timestamptz not null,
        "createdAt" timestamptz not null default now(),
        "updatedAt" timestamptz not null default now()
      );
      create index verification_identifier on auth.verification (identifier);

      -- Links that verify or change an address: each works once, while its row exists.
      create table auth.mailed_link (
        secret_hash bytea       primary key, -- SHA-256 of the secret in the link, so a reader of the table cannot open the link
        user_id     text        not null constraint mailed_link_user_fkey references auth."user" (id) on delete cascade,
        auth_token  text        not null, -- better-auth's signed token, which says what opening the link does
        expires_at  timestamptz not null
      );
      create index mailed_link_user_id on auth.mailed_link (user_id);

      create table auth.passkey (
        id             text    primary key,
        name           text,
        "publicKey"    text    not null,
        "userId"       text    not null constraint passkey_user_fkey references auth."user" (id) on delete cascade,
        "credentialID" text    not null constraint passkey_credential_unique unique, -- unique: better-auth finds the account by it alone
        counter        integer not null,
        "deviceType"   text    not null,
        "backedUp"     boolean not null,
        transports     text,
        "createdAt"    timestamptz,
        aaguid         text
      );
      create index passkey_user on auth.passkey ("userId");

      -- What limits count, shared by all servers: one row for each event and key.
      create table auth.rate_limit_event (
        id  bigint      generated always as identity primary key,
        key text        not null,
        at  timestamptz not null default service_now()
      );
      create index rate_limit_event_key on auth.rate_limit_event (key, at desc);
      create index rate_limit_event_at on auth.rate_limit_event (at);

      -- Who took a trial, and where: what trials give away is limited by person and network.
      create table auth.trial_taken (
        balance_id uuid        primary key,
        person     bytea       not null, -- the keyed hash of an email address, which outlives a deleted account
        address    text        not null,
        network    text        not null, -- the IPv6 /48 around the address, or the address
        taken_at   timestamptz not null default service_now()
      );
      create index trial_taken_person on auth.trial_taken (person);
      create index trial_taken_network on auth.trial_taken (network, taken_at);

      -- Where a person has signed in from: an address, or a browser (the hash of its cookie's id).
      create table auth.known_source (
        user_id text        not null constraint known_source_user_fkey references auth."user" (id) on delete cascade,
        source  text        not null,
        seen_at timestamptz not null default service_now(),
        primary key (user_id, source)
      );
      create index known_source_seen_at on auth.known_source (seen_at);
    `);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop schema auth cascade');
  }
}
