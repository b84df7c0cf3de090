-- Creates the database of an installation on PostgreSQL: run it with psql as an administrator, after roles.sql. For a second
-- database, choose another name: psql -v database=sallyport_drill.
\set ON_ERROR_STOP on
\if :{?database}
\else
\set database sallyport
\endif

-- LOCALE 'C': indexes on text do not depend on the system's locale data, which changes with its upgrades.
CREATE DATABASE :"database" OWNER sallyport_owner TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C';
REVOKE ALL ON DATABASE :"database" FROM PUBLIC;
GRANT CONNECT ON DATABASE :"database" TO sallyport_server;

\connect :"database"
GRANT USAGE ON SCHEMA public TO sallyport_server;
-- For the tables that the owner will create, now and in later versions.
ALTER DEFAULT PRIVILEGES FOR ROLE sallyport_owner IN SCHEMA public
  GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO sallyport_server;
