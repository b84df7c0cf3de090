-- Creates the two roles of an installation on PostgreSQL: run it with psql as an administrator, as docs/postgresql.md says.
\set ON_ERROR_STOP on
\getenv owner_password OWNER_PASSWORD
\getenv server_password SERVER_PASSWORD

-- Owns the tables and migrates them: "sallyport migrate apply".
CREATE ROLE sallyport_owner LOGIN PASSWORD :'owner_password';
-- Servers and all other commands: they read and write rows, and cannot change tables.
CREATE ROLE sallyport_server LOGIN PASSWORD :'server_password';

-- A server gives up on a statement after 5 seconds; PostgreSQL then cancels it too, after 10, and releases its locks.
ALTER ROLE sallyport_server SET statement_timeout = '10s';
-- A server gives up waiting for a lock, so that others can use the connection. It sets this itself, unless a pooler is in between.
ALTER ROLE sallyport_server SET lock_timeout = '1200ms';
ALTER ROLE sallyport_server SET idle_in_transaction_session_timeout = '30s';
