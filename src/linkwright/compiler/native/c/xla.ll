%struct.ErrorArguments = type { i64, ptr, ptr, i32 }
%struct.Slot = type { i64, i64, ptr, ptr, ptr }

@.str = private unnamed_addr constant [47 x i8] c"the number of arrays is not that of the kernel\00", align 1
@.str.1 = private unnamed_addr constant [30 x i8] c"arrays are float32 or float64\00", align 1
@.str.2 = private unnamed_addr constant [39 x i8] c"the arrays are not those of the kernel\00", align 1
@.str.3 = private unnamed_addr constant [38 x i8] c"no memory for a conversion to float64\00", align 1
@.str.4 = private unnamed_addr constant [12 x i8] c"interrupted\00", align 1

define ptr @call_from_xla(ptr nocapture noundef readonly %0, ptr nocapture noundef readonly %1, i64 noundef %2) local_unnamed_addr #0 {
  %4 = alloca %struct.ErrorArguments, align 8
  %5 = alloca %struct.ErrorArguments, align 8
  %6 = alloca %struct.ErrorArguments, align 8
  %7 = alloca %struct.ErrorArguments, align 8
  %8 = alloca %struct.ErrorArguments, align 8
  %9 = getelementptr inbounds i8, ptr %0, i64 8
  %10 = load ptr, ptr %9, align 8
  %11 = icmp eq ptr %10, null
  br i1 %11, label %25, label %12

12:
  %13 = getelementptr inbounds i8, ptr %10, i64 8
  %14 = load i32, ptr %13, align 8
  %15 = icmp eq i32 %14, 1
  br i1 %15, label %16, label %25

16:
  %17 = getelementptr inbounds i8, ptr %10, i64 24
  %18 = load ptr, ptr %17, align 8
  %19 = getelementptr inbounds i8, ptr %18, i64 24
  store i32 0, ptr %19, align 8
  %20 = trunc i64 %2 to i32
  %21 = load ptr, ptr %17, align 8
  %22 = getelementptr inbounds i8, ptr %21, i64 28
  store i32 %20, ptr %22, align 4
  %23 = load ptr, ptr %17, align 8
  %24 = getelementptr inbounds i8, ptr %23, i64 32
  store i32 0, ptr %24, align 8
  br label %208

25:
  %26 = getelementptr inbounds i8, ptr %0, i64 32
  %27 = load i32, ptr %26, align 8
  %28 = icmp eq i32 %27, 3
  br i1 %28, label %29, label %208

29:
  %30 = getelementptr inbounds i8, ptr %1, i64 24
  %31 = load i64, ptr %30, align 8
  %32 = getelementptr inbounds i8, ptr %1, i64 32
  %33 = load i64, ptr %32, align 8
  %34 = getelementptr inbounds i8, ptr %0, i64 56
  %35 = load i64, ptr %34, align 8
  %36 = icmp eq i64 %35, %31
  br i1 %36, label %37, label %41

37:
  %38 = getelementptr inbounds i8, ptr %0, i64 96
  %39 = load i64, ptr %38, align 8
  %40 = icmp eq i64 %39, %33
  br i1 %40, label %50, label %41

41:
  store i64 32, ptr %8, align 8
  %42 = getelementptr inbounds i8, ptr %8, i64 8
  store ptr null, ptr %42, align 8
  %43 = getelementptr inbounds i8, ptr %8, i64 16
  store ptr @.str, ptr %43, align 8
  %44 = getelementptr inbounds i8, ptr %8, i64 24
  store i32 3, ptr %44, align 8
  %45 = getelementptr inbounds i8, ptr %0, i64 16
  %46 = load ptr, ptr %45, align 8
  %47 = getelementptr inbounds i8, ptr %46, i64 48
  %48 = load ptr, ptr %47, align 8
  %49 = call ptr %48(ptr noundef nonnull %8) #6
  br label %208

50:
  %51 = add nsw i64 %33, %31
  %52 = tail call ptr @llvm.stacksave.p0()
  %53 = alloca ptr, i64 %51, align 16
  %54 = getelementptr inbounds i8, ptr %1, i64 40
  %55 = load i64, ptr %54, align 8
  %56 = alloca i64, i64 %55, align 16
  %57 = icmp sgt i64 %55, 0
  br i1 %57, label %58, label %61

58:
  %59 = getelementptr inbounds i8, ptr %1, i64 48
  %60 = load ptr, ptr %59, align 8
  br label %75

61:
  %62 = getelementptr inbounds i8, ptr %0, i64 112
  %63 = load ptr, ptr %62, align 8
  %64 = load ptr, ptr %63, align 8
  %65 = getelementptr inbounds i8, ptr %64, i64 16
  %66 = load i32, ptr %65, align 8
  %67 = add i32 %66, -13
  %68 = icmp ult i32 %67, -2
  br i1 %68, label %82, label %69

69:
  %70 = icmp slt i64 %51, 1
  br i1 %70, label %176, label %71

71:
  %72 = getelementptr inbounds i8, ptr %0, i64 72
  %73 = getelementptr inbounds i8, ptr %1, i64 56
  %74 = load ptr, ptr %73, align 8
  br label %91

75:
  %76 = phi i64 [ 0, %58 ], [ %80, %75 ]
  %77 = getelementptr inbounds i64, ptr %60, i64 %76
  %78 = load i64, ptr %77, align 8
  %79 = getelementptr inbounds i64, ptr %56, i64 %76
  store i64 %78, ptr %79, align 8
  %80 = add nuw nsw i64 %76, 1
  %81 = icmp eq i64 %80, %55
  br i1 %81, label %61, label %75

82:
  store i64 32, ptr %7, align 8
  %83 = getelementptr inbounds i8, ptr %7, i64 8
  store ptr null, ptr %83, align 8
  %84 = getelementptr inbounds i8, ptr %7, i64 16
  store ptr @.str.1, ptr %84, align 8
  %85 = getelementptr inbounds i8, ptr %7, i64 24
  store i32 3, ptr %85, align 8
  %86 = getelementptr inbounds i8, ptr %0, i64 16
  %87 = load ptr, ptr %86, align 8
  %88 = getelementptr inbounds i8, ptr %87, i64 48
  %89 = load ptr, ptr %88, align 8
  %90 = call ptr %89(ptr noundef nonnull %7) #6
  br label %206

91:
  %92 = phi i64 [ -1, %71 ], [ %145, %163 ]
  %93 = phi i64 [ %51, %71 ], [ %94, %163 ]
  %94 = add nsw i64 %93, -1
  %95 = icmp sgt i64 %93, %31
  br i1 %95, label %99, label %96

96:
  %97 = load ptr, ptr %72, align 8
  %98 = getelementptr inbounds ptr, ptr %97, i64 %94
  br label %102

99:
  %100 = sub nsw i64 %94, %31
  %101 = getelementptr inbounds ptr, ptr %63, i64 %100
  br label %102

102:
  %103 = phi ptr [ %98, %96 ], [ %101, %99 ]
  %104 = load ptr, ptr %103, align 8
  %105 = getelementptr inbounds %struct.Slot, ptr %74, i64 %94
  %106 = getelementptr inbounds i8, ptr %104, i64 32
  %107 = load i64, ptr %106, align 8
  %108 = load i64, ptr %105, align 8
  %109 = sub nsw i64 %107, %108
  %110 = icmp slt i64 %109, 0
  br i1 %110, label %167, label %111

111:
  %112 = icmp eq i64 %107, %108
  br i1 %112, label %116, label %113

113:
  %114 = getelementptr inbounds i8, ptr %104, i64 40
  %115 = load ptr, ptr %114, align 8
  br label %125

116:
  %117 = phi i64 [ 1, %111 ], [ %130, %125 ]
  %118 = icmp sgt i64 %108, 0
  br i1 %118, label %119, label %143

119:
  %120 = getelementptr inbounds i8, ptr %104, i64 40
  %121 = load ptr, ptr %120, align 8
  %122 = getelementptr inbounds i64, ptr %121, i64 %109
  %123 = getelementptr inbounds i8, ptr %105, i64 16
  %124 = load ptr, ptr %123, align 8
  br label %136

125:
  %126 = phi i64 [ 0, %113 ], [ %131, %125 ]
  %127 = phi i64 [ 1, %113 ], [ %130, %125 ]
  %128 = getelementptr inbounds i64, ptr %115, i64 %126
  %129 = load i64, ptr %128, align 8
  %130 = mul nsw i64 %129, %127
  %131 = add nuw nsw i64 %126, 1
  %132 = icmp eq i64 %131, %109
  br i1 %132, label %116, label %125

133:
  %134 = add nuw nsw i64 %137, 1
  %135 = icmp eq i64 %134, %108
  br i1 %135, label %143, label %136

136:
  %137 = phi i64 [ 0, %119 ], [ %134, %133 ]
  %138 = getelementptr inbounds i64, ptr %122, i64 %137
  %139 = load i64, ptr %138, align 8
  %140 = getelementptr inbounds i64, ptr %124, i64 %137
  %141 = load i64, ptr %140, align 8
  %142 = icmp eq i64 %139, %141
  br i1 %142, label %133, label %167

143:
  %144 = icmp eq i64 %92, -1
  %145 = select i1 %144, i64 %117, i64 %92
  %146 = getelementptr inbounds i8, ptr %104, i64 16
  %147 = load i32, ptr %146, align 8
  %148 = icmp eq i32 %147, %66
  %149 = icmp ne i64 %117, -1
  %150 = select i1 %148, i1 %149, i1 false
  %151 = icmp eq i64 %117, %145
  %152 = or i1 %112, %151
  %153 = select i1 %150, i1 %152, i1 false
  br i1 %153, label %154, label %167

154:
  %155 = getelementptr inbounds i8, ptr %104, i64 24
  %156 = load ptr, ptr %155, align 8
  %157 = getelementptr inbounds ptr, ptr %53, i64 %94
  store ptr %156, ptr %157, align 8
  %158 = icmp ne i64 %107, %108
  %159 = or i1 %95, %158
  br i1 %159, label %160, label %163

160:
  %161 = getelementptr inbounds i8, ptr %105, i64 8
  %162 = load i64, ptr %161, align 8
  br label %163

163:
  %164 = phi i64 [ %162, %160 ], [ 0, %154 ]
  %165 = getelementptr inbounds i64, ptr %56, i64 %94
  store i64 %164, ptr %165, align 8
  %166 = icmp slt i64 %93, 2
  br i1 %166, label %176, label %91

167:
  store i64 32, ptr %6, align 8
  %168 = getelementptr inbounds i8, ptr %6, i64 8
  store ptr null, ptr %168, align 8
  %169 = getelementptr inbounds i8, ptr %6, i64 16
  store ptr @.str.2, ptr %169, align 8
  %170 = getelementptr inbounds i8, ptr %6, i64 24
  store i32 3, ptr %170, align 8
  %171 = getelementptr inbounds i8, ptr %0, i64 16
  %172 = load ptr, ptr %171, align 8
  %173 = getelementptr inbounds i8, ptr %172, i64 48
  %174 = load ptr, ptr %173, align 8
  %175 = call ptr %174(ptr noundef nonnull %6) #6
  br label %206

176:
  %177 = phi i64 [ -1, %69 ], [ %145, %163 ]
  %178 = icmp eq i32 %66, 12
  br i1 %178, label %179, label %180

179:
  call fastcc void @run(ptr noundef %1, ptr noundef nonnull %53, i64 noundef %177, ptr noundef nonnull %56) #7
  br label %191

180:
  %181 = call fastcc zeroext i1 @run_float32(ptr noundef %1, ptr noundef nonnull %53, i64 noundef %177, ptr noundef nonnull %56) #7
  br i1 %181, label %191, label %182

182:
  store i64 32, ptr %5, align 8
  %183 = getelementptr inbounds i8, ptr %5, i64 8
  store ptr null, ptr %183, align 8
  %184 = getelementptr inbounds i8, ptr %5, i64 16
  store ptr @.str.3, ptr %184, align 8
  %185 = getelementptr inbounds i8, ptr %5, i64 24
  store i32 3, ptr %185, align 8
  %186 = getelementptr inbounds i8, ptr %0, i64 16
  %187 = load ptr, ptr %186, align 8
  %188 = getelementptr inbounds i8, ptr %187, i64 48
  %189 = load ptr, ptr %188, align 8
  %190 = call ptr %189(ptr noundef nonnull %5) #6
  br label %206

191:
  %192 = getelementptr inbounds i8, ptr %1, i64 72
  %193 = load i64, ptr %192, align 8
  %194 = icmp eq i64 %193, 0
  br i1 %194, label %206, label %195

195:
  %196 = call zeroext i1 @poll_signals(i64 noundef 0) #6
  br i1 %196, label %197, label %206

197:
  store i64 32, ptr %4, align 8
  %198 = getelementptr inbounds i8, ptr %4, i64 8
  store ptr null, ptr %198, align 8
  %199 = getelementptr inbounds i8, ptr %4, i64 16
  store ptr @.str.4, ptr %199, align 8
  %200 = getelementptr inbounds i8, ptr %4, i64 24
  store i32 1, ptr %200, align 8
  %201 = getelementptr inbounds i8, ptr %0, i64 16
  %202 = load ptr, ptr %201, align 8
  %203 = getelementptr inbounds i8, ptr %202, i64 48
  %204 = load ptr, ptr %203, align 8
  %205 = call ptr %204(ptr noundef nonnull %4) #6
  br label %206

206:
  %207 = phi ptr [ %90, %82 ], [ %205, %197 ], [ %190, %182 ], [ %175, %167 ], [ null, %195 ], [ null, %191 ]
  call void @llvm.stackrestore.p0(ptr %52)
  br label %208

208:
  %209 = phi ptr [ null, %16 ], [ null, %25 ], [ %49, %41 ], [ %207, %206 ]
  ret ptr %209
}

declare ptr @llvm.stacksave.p0() #2

define internal fastcc void @run(ptr nocapture noundef readonly %0, ptr noundef %1, i64 noundef %2, ptr noundef %3) unnamed_addr #0 {
  %5 = alloca i64, align 8
  store i64 %2, ptr %5, align 8
  switch i64 %2, label %10 [
    i64 1, label %6
    i64 0, label %13
  ]

6:
  %7 = load ptr, ptr %0, align 8
  %8 = icmp eq ptr %7, null
  br i1 %8, label %10, label %9

9:
  tail call void %7(ptr noundef %1, ptr noundef %3) #6
  br label %13

10:
  %11 = getelementptr inbounds i8, ptr %0, i64 8
  %12 = load ptr, ptr %11, align 8
  call void %12(ptr noundef %1, ptr noundef nonnull %5, ptr noundef %3, ptr noundef null) #6
  br label %13

13:
  ret void
}

define internal fastcc noundef zeroext i1 @run_float32(ptr nocapture noundef readonly %0, ptr nocapture noundef readonly %1, i64 noundef %2, ptr noundef %3) unnamed_addr #0 {
  %5 = alloca i64, align 8
  %6 = getelementptr inbounds i8, ptr %0, i64 24
  %7 = load i64, ptr %6, align 8
  %8 = getelementptr inbounds i8, ptr %0, i64 32
  %9 = load i64, ptr %8, align 8
  %10 = add nsw i64 %9, %7
  %11 = getelementptr inbounds i8, ptr %0, i64 56
  %12 = load ptr, ptr %11, align 8
  %13 = icmp sgt i64 %10, 0
  br i1 %13, label %27, label %14

14:
  %15 = phi i64 [ 0, %4 ], [ %32, %27 ]
  %16 = tail call i64 @llvm.smin.i64(i64 %2, i64 64)
  %17 = mul nsw i64 %15, %16
  %18 = add nsw i64 %17, 1
  %19 = tail call ptr @malloc(i64 noundef %18) #6
  %20 = alloca ptr, i64 %10, align 16
  %21 = icmp ne ptr %19, null
  br i1 %21, label %22, label %111

22:
  %23 = icmp sgt i64 %2, 0
  br i1 %23, label %24, label %35

24:
  %25 = getelementptr inbounds i8, ptr %0, i64 8
  %26 = icmp sgt i64 %9, 0
  br label %36

27:
  %28 = phi i64 [ %32, %27 ], [ 0, %4 ]
  %29 = phi i64 [ %33, %27 ], [ 0, %4 ]
  %30 = getelementptr inbounds %struct.Slot, ptr %12, i64 %29, i32 1
  %31 = load i64, ptr %30, align 8
  %32 = add nsw i64 %31, %28
  %33 = add nuw nsw i64 %29, 1
  %34 = icmp eq i64 %33, %10
  br i1 %34, label %14, label %27

35:
  call void @free(ptr noundef nonnull %19) #6
  br label %111

36:
  %37 = phi i64 [ 0, %24 ], [ %85, %84 ]
  %38 = sub nsw i64 %2, %37
  %39 = call i64 @llvm.smin.i64(i64 %38, i64 64)
  br i1 %13, label %48, label %40

40:
  store i64 %39, ptr %5, align 8
  switch i64 %39, label %45 [
    i64 1, label %41
    i64 0, label %47
  ]

41:
  %42 = load ptr, ptr %0, align 8
  %43 = icmp eq ptr %42, null
  br i1 %43, label %45, label %44

44:
  call void %42(ptr noundef nonnull %20, ptr noundef %3) #6
  br label %47

45:
  %46 = load ptr, ptr %25, align 8
  call void %46(ptr noundef nonnull %20, ptr noundef nonnull %5, ptr noundef %3, ptr noundef null) #6
  br label %47

47:
  br i1 %26, label %87, label %84

48:
  %49 = phi i64 [ %82, %78 ], [ 0, %36 ]
  %50 = phi ptr [ %81, %78 ], [ %19, %36 ]
  %51 = getelementptr inbounds %struct.Slot, ptr %12, i64 %49, i32 1
  %52 = load i64, ptr %51, align 8
  %53 = getelementptr inbounds i64, ptr %3, i64 %49
  %54 = load i64, ptr %53, align 8
  %55 = icmp eq i64 %54, 0
  %56 = select i1 %55, i64 1, i64 %39
  %57 = getelementptr inbounds ptr, ptr %20, i64 %49
  store ptr %50, ptr %57, align 8
  %58 = icmp slt i64 %49, %7
  br i1 %58, label %59, label %78

59:
  %60 = sdiv i64 %52, 8
  %61 = getelementptr inbounds ptr, ptr %1, i64 %49
  %62 = load ptr, ptr %61, align 8
  %63 = mul nsw i64 %60, %37
  %64 = select i1 %55, i64 0, i64 %63
  %65 = getelementptr inbounds float, ptr %62, i64 %64
  %66 = mul nsw i64 %56, %60
  %67 = icmp sgt i64 %66, 0
  br i1 %67, label %68, label %78

68:
  %69 = phi i64 [ %74, %68 ], [ 0, %59 ]
  %70 = getelementptr inbounds float, ptr %65, i64 %69
  %71 = load float, ptr %70, align 4
  %72 = fpext float %71 to double
  %73 = getelementptr inbounds double, ptr %50, i64 %69
  store double %72, ptr %73, align 8
  %74 = add nuw nsw i64 %69, 1
  %75 = icmp eq i64 %74, %66
  br i1 %75, label %76, label %68

76:
  %77 = load i64, ptr %51, align 8
  br label %78

78:
  %79 = phi i64 [ %77, %76 ], [ %52, %59 ], [ %52, %48 ]
  %80 = mul nsw i64 %79, %56
  %81 = getelementptr inbounds i8, ptr %50, i64 %80
  %82 = add nuw nsw i64 %49, 1
  %83 = icmp eq i64 %82, %10
  br i1 %83, label %40, label %48

84:
  %85 = add nuw nsw i64 %37, 64
  %86 = icmp slt i64 %85, %2
  br i1 %86, label %36, label %35

87:
  %88 = phi i64 [ %109, %108 ], [ %7, %47 ]
  %89 = getelementptr inbounds %struct.Slot, ptr %12, i64 %88, i32 1
  %90 = load i64, ptr %89, align 8
  %91 = sdiv i64 %90, 8
  %92 = getelementptr inbounds ptr, ptr %1, i64 %88
  %93 = load ptr, ptr %92, align 8
  %94 = mul nsw i64 %91, %37
  %95 = getelementptr inbounds float, ptr %93, i64 %94
  %96 = getelementptr inbounds ptr, ptr %20, i64 %88
  %97 = load ptr, ptr %96, align 8
  %98 = mul nsw i64 %91, %39
  %99 = icmp sgt i64 %98, 0
  br i1 %99, label %100, label %108

100:
  %101 = phi i64 [ %106, %100 ], [ 0, %87 ]
  %102 = getelementptr inbounds double, ptr %97, i64 %101
  %103 = load double, ptr %102, align 8
  %104 = fptrunc double %103 to float
  %105 = getelementptr inbounds float, ptr %95, i64 %101
  store float %104, ptr %105, align 4
  %106 = add nuw nsw i64 %101, 1
  %107 = icmp eq i64 %106, %98
  br i1 %107, label %108, label %100

108:
  %109 = add nsw i64 %88, 1
  %110 = icmp slt i64 %109, %10
  br i1 %110, label %87, label %84

111:
  ret i1 %21
}

declare zeroext i1 @poll_signals(i64 noundef) local_unnamed_addr

declare void @llvm.stackrestore.p0(ptr) #2

declare ptr @malloc(i64 noundef) local_unnamed_addr

declare void @free(ptr noundef) local_unnamed_addr

declare i64 @llvm.smin.i64(i64, i64) #4

attributes #0 = { nounwind }
attributes #1 = { mustprogress nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { mustprogress nocallback nofree nosync nounwind willreturn }
attributes #4 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #5 = { nounwind }
attributes #6 = { nobuiltin nounwind }
attributes #7 = { nobuiltin }
