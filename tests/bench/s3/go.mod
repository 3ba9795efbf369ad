module s3server

go 1.22
