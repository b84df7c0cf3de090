-- The two roles of an installation on PostgreSQL, for psql as an administrator: docs/postgresql.md tells how to run it.
\set ON_ERROR_STOP on
\getenv owner_password OWNER_PASSWORD
\getenv server_password SERVER_PASSWORD

-- Owns the tables and migrates them: "sallyport migrate apply".
CREATE ROLE sallyport_owner LOGIN PASSWORD :'owner_password';
-- Servers and all other commands: they read and write rows, and cannot change tables.
CREATE ROLE sallyport_server LOGIN PASSWORD :'server_password';

-- A server gives up a statement after 5 seconds; PostgreSQL then ends it too, and the locks that it holds.
ALTER ROLE sallyport_server SET statement_timeout = '10s';
-- A server gives up a lock that it waits for, and lets others have the connection. It says so itself, unless a pooler is in between.
ALTER ROLE sallyport_server SET lock_timeout = '1200ms';
ALTER ROLE sallyport_server SET idle_in_transaction_session_timeout = '30s';
